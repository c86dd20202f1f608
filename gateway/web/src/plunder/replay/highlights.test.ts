import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { EventSchema } from "../../gen/parley/plunder/v1/event_pb";
import { highlightOf } from "./highlights";

it("finds fights and sinkings", () => {
  const events = [
    create(EventSchema, { what: { case: "exchanged", value: { attacker: 1, defender: 2 } } }),
    create(EventSchema, { what: { case: "exchanged", value: { attacker: 1, defender: 3 } } }),
    create(EventSchema, { what: { case: "sunk", value: { unit: 2 } } }),
    create(EventSchema, { what: { case: "moved", value: { unit: 3 } } }),
  ];
  expect(highlightOf(events)).toEqual({ words: "2 fights, 1 ship sunk", grave: true });
  expect(highlightOf(events.slice(0, 1))).toEqual({ words: "1 fight", grave: false });
  expect(highlightOf([])).toBeNull();
});
