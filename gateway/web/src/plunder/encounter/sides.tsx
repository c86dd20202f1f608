// Who met whom: the ships of both sides, with everything that counts in a fight.
import { nameOf, ownedBy } from "../../frame/names";
import { Emblem } from "../../frame/ui/emblem";
import type { Encounter, Encounter_Participant } from "../../gen/parley/plunder/v1/event_pb";
import type { Board, Ship } from "../model/model";

export interface SidesProps {
  readonly board: Board;
  readonly encounter: Encounter;
  /** The ship that is asked. */
  readonly ship: number;
  readonly seat: number;
  readonly names: readonly string[];
}

export function Sides({ board, encounter, ship, seat, names }: SidesProps) {
  const owners = [...new Set(encounter.participants.map((participant) => participant.owner))];
  owners.sort((a, b) => Number(b === seat) - Number(a === seat) || a - b);
  return (
    <div class="prompt-sides">
      {owners.map((owner) => (
        <section key={owner} class="prompt-side" aria-label={owner === seat ? "Your ships" : ownedBy(seat, names, owner, "ships")}>
          <p class="prompt-owner">
            <Emblem owner={owner} size={18} />
            {owner === seat ? "You" : nameOf(names, owner)}
          </p>
          <ul>
            {encounter.participants
              .filter((participant) => participant.owner === owner)
              .map((participant) => (
                <ShipRow
                  key={participant.unit}
                  participant={participant}
                  ship={board.ships.get(participant.unit)}
                  asked={participant.unit === ship}
                />
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface RowProps {
  readonly participant: Encounter_Participant;
  readonly ship: Ship | undefined;
  readonly asked: boolean;
}

function ShipRow({ participant, ship, asked }: RowProps) {
  return (
    <li class={asked ? "prompt-ship asked" : "prompt-ship"}>
      <strong>Ship {participant.unit}</strong>
      {ship === undefined ? <span class="soft small">out of sight</span> : <ShipLine ship={ship} />}
      {participant.holds && <span class="soft small">holds the tile</span>}
    </li>
  );
}

function ShipLine({ ship }: { readonly ship: Ship }) {
  const pieces = [count(ship.sails, "sail"), count(ship.cannons, "cannon"), count(ship.hull, "hull")];
  const fitted = pieces.filter((words) => words !== "").join(", ");
  return (
    <>
      <meter class="prompt-hp" min={0} max={ship.maxHp} low={ship.maxHp / 2} value={ship.hp} aria-label="Hit points" />
      <span class="small numbers prompt-numbers">
        {ship.hp}/{ship.maxHp} hp, hits for {ship.damage}
      </span>
      {fitted !== "" && <span class="soft small">{fitted}</span>}
    </>
  );
}

function count(number: number, word: string): string {
  if (number === 0) return "";
  return number === 1 ? `1 ${word}` : `${number} ${word}s`;
}
