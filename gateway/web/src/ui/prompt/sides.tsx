// Who met whom: the ships of both sides, with everything that counts in a fight.
import type { Board, Ship } from "../../game/model";
import { ownedBy, playerName } from "../../game/tell";
import type { Encounter, Encounter_Participant } from "../../gen/parley/v1/event_pb";
import { Emblem } from "../../sea/emblem";

export interface SidesProps {
  readonly board: Board;
  readonly encounter: Encounter;
  /** The ship that is asked. */
  readonly ship: number;
  readonly seat: number;
  readonly names: readonly string[];
}

export function Sides({ board, encounter, ship, seat, names }: SidesProps) {
  const own = encounter.participants.filter((participant) => participant.owner === seat);
  const others = encounter.participants.filter((participant) => participant.owner !== seat);
  const owners = [...new Set(others.map((participant) => participant.owner))];
  const title = owners.map((owner) => playerName(seat, names, owner)).join(" and ");
  return (
    <div class="prompt-sides">
      <Side title="You" party={own} asked={ship} board={board} seat={seat} names={names} />
      <span class="prompt-versus" aria-hidden="true">
        ⚔
      </span>
      <Side title={title} party={others} asked={null} board={board} seat={seat} names={names} />
    </div>
  );
}

interface SideProps {
  readonly title: string;
  readonly party: readonly Encounter_Participant[];
  readonly asked: number | null;
  readonly board: Board;
  readonly seat: number;
  readonly names: readonly string[];
}

function Side({ title, party, asked, board, seat, names }: SideProps) {
  return (
    <ul class="prompt-side" aria-label={title}>
      {party.map(({ unit, owner, holds }) => (
        <li key={unit} class={unit === asked ? "prompt-ship asked" : "prompt-ship"}>
          <Emblem owner={owner} size={20} />
          <div class="grow">
            <strong>{capital(ownedBy(seat, names, owner, `ship ${unit}`))}</strong>
            {holds && <span class="soft small"> holds the tile</span>}
            <ShipLine ship={board.ships.get(unit)} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function ShipLine({ ship }: { readonly ship: Ship | undefined }) {
  if (ship === undefined) return <p class="soft small">out of sight</p>;
  const pieces = [count(ship.sails, "sail"), count(ship.cannons, "cannon"), count(ship.hull, "hull")].filter((words) => words !== "");
  return (
    <>
      <meter class="prompt-hp" min={0} max={ship.maxHp} low={ship.maxHp / 2} value={ship.hp} aria-label="Hit points">
        {ship.hp} of {ship.maxHp}
      </meter>
      <p class="small numbers">
        {ship.hp}/{ship.maxHp} hp · hits for {ship.damage}
        {pieces.length > 0 && <span class="soft"> · {pieces.join(", ")}</span>}
      </p>
    </>
  );
}

function count(number: number, word: string): string {
  if (number === 0) return "";
  return number === 1 ? `1 ${word}` : `${number} ${word}s`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
