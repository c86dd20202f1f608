// What may be ordered in a turn, as the server answers it.
import { Code, ConnectError } from "@connectrpc/connect";
import type { Advise } from "../../frame/session/game";
import type { Options } from "../../gen/parley/plunder/v1/advice_pb";
import { adviceArm, queryWith } from "../arms";

/** All options, however many answers that takes; asked for anew where a turn ends in between. */
export async function askOptions(advise: Advise): Promise<Options> {
  const all = await page(advise, 0, 0);
  while (all.nextUnit !== 0 || all.nextStructure !== 0) {
    const more = await page(advise, all.nextUnit, all.nextStructure);
    if (more.turn !== all.turn) return askOptions(advise);
    all.units.push(...more.units);
    all.structures.push(...more.structures);
    all.nextUnit = more.nextUnit;
    all.nextStructure = more.nextStructure;
  }
  return all;
}

async function page(advise: Advise, firstUnit: number, firstStructure: number): Promise<Options> {
  const query = queryWith({ query: { case: "options", value: { firstUnit, firstStructure } } });
  const told = adviceArm(await advise(query));
  if (told?.case === "options") return told.value;
  throw new ConnectError("the server answered something else than what may be ordered", Code.DataLoss);
}
