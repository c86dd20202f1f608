import { expect, test } from "vitest";
import { matchAddress, readRoute } from "./route";

test("every screen has an address", () => {
  for (const fragment of ["", "#", "#/", "/"]) expect(readRoute(fragment)).toEqual({ screen: "lobby" });
  expect(readRoute("#/match/12")).toEqual({ screen: "match", id: "12", invite: null });
  expect(readRoute("#/replay/12?view=1&turn=3&step=2")).toEqual({
    screen: "replay",
    id: "12",
    query: "view=1&turn=3&step=2",
  });
  for (const fragment of ["#/match/", "#/match/a b", "#/elsewhere", "#/match/1/2", "#/match/../x"]) {
    expect(readRoute(fragment)).toEqual({ screen: "nowhere" });
  }
});

test("an invitation survives its address", () => {
  const invite = "a+b/c=&?d";
  expect(readRoute(matchAddress("7", invite))).toEqual({ screen: "match", id: "7", invite });
  expect(readRoute("#/match/7?invite=")).toEqual({ screen: "match", id: "7", invite: null });
});
