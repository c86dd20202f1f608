import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Tile } from "../game/model";
import { ChartLayer } from "./chart";
import { tileWords } from "./describe";
import { shipsAt } from "./fan";
import { focusOf } from "./focus";
import { centre, sizeOf, tileAt } from "./geometry";
import { listen } from "./gestures";
import { deedOf, KEYS_IN_WORDS } from "./keys";
import { home } from "./home";
import { Pieces } from "./pieces";
import type { Pointed, SeaProps } from "./props";
import { Rig } from "./rig";
import "./sea.css";

/**
 * The sea as a chart: terrain, ships, what is planned and what happens. While effects are played, `board` is the one
 * before them or after them: ships that an effect is about are where and how the effect has them.
 */
export function Sea(props: SeaProps) {
  const { board, names, marks, effects, progress, lookAt } = props;
  const { chart } = board;
  const words = useId();
  const port = useRef<HTMLDivElement>(null);
  const world = useRef<HTMLDivElement>(null);
  const rig = useRef<Rig | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [scale, setScale] = useState(1);
  const [hovered, setHovered] = useState<Tile | null>(null);
  const [cursor, setCursor] = useState<Tile | null>(null);

  useLayoutEffect(() => {
    if (!port.current || !world.current) return undefined;
    const made = new Rig(port.current, world.current, setScale);
    rig.current = made;
    const now = () => latest.current;
    const stop = listen(port.current, made, {
      tileAt: (x, y) => {
        const point = made.pointAt(x, y);
        return tileAt(now().board.chart, point.x, point.y);
      },
      shipOn: (tile) => {
        const [first] = shipsAt(now().board, tile, now().marks.selectedShip);
        return first && first.owner === now().board.seat ? first.id : null;
      },
      idle: (tile) => tile === null || (!now().marks.reach.has(tile) && pointed(now(), tile).ships.length === 0),
      pick: (tile) => {
        setCursor(null);
        now().onPick(pointed(now(), tile));
      },
      drag: (ship, over, done) => now().onDrag(ship, over, done),
      hover: (tile) => {
        setHovered(tile);
        now().onHover(tile === null ? null : pointed(now(), tile));
      },
    });
    const watcher = new ResizeObserver(() => made.resize());
    watcher.observe(port.current);
    return () => {
      watcher.disconnect();
      stop();
      made.close();
    };
  }, []);

  useLayoutEffect(() => rig.current?.show(sizeOf(chart), centre(chart, home(board))), [chart.width, chart.height]);
  useEffect(() => {
    if (lookAt) rig.current?.lookAt(centre(latest.current.board.chart, lookAt.tile), isStill());
  }, [lookAt]);
  useEffect(() => {
    const tile = focusOf(effects);
    const { board: shown, controls = false } = latest.current;
    if (tile !== null) rig.current?.follow(centre(shown.chart, tile), controls, isStill());
    else if (effects.length === 0) rig.current?.comeBack(isStill());
  }, [effects]);

  const go = (to: Tile) => {
    setCursor(to);
    rig.current?.lookAt(centre(chart, to), isStill());
    props.onHover(pointed(props, to));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const deed = deedOf(event, chart, cursor ?? home(board, marks));
    if (!deed || (deed.kind === "pick" && cursor === null)) return;
    event.preventDefault();
    event.stopPropagation();
    if (deed.kind === "go") go(cursor === null ? home(board, marks) : deed.to);
    else if (deed.kind === "pan") rig.current?.pan(deed.dx, deed.dy);
    else if (deed.kind === "zoom") rig.current?.zoom(deed.factor);
    else if (deed.kind === "fit") rig.current?.fit(isStill());
    else if (cursor !== null) props.onPick(pointed(props, cursor));
  };

  return (
    <div class="sea" data-detail={scale < 0.5 ? "far" : "near"}>
      <div
        ref={port}
        class="sea-port"
        role="application"
        aria-roledescription="map"
        aria-label={`The sea, turn ${board.turn}`}
        aria-describedby={words}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (cursor === null) return;
          setCursor(null);
          props.onHover(null);
        }}
      >
        <div ref={world} class="sea-world">
          <ChartLayer chart={chart} />
          <Pieces
            board={board}
            names={names}
            marks={marks}
            effects={effects}
            progress={progress}
            scale={scale}
            hovered={hovered}
            cursor={cursor}
          />
        </div>
      </div>
      <p id={words} hidden>
        {KEYS_IN_WORDS}
      </p>
      <p class="sea-said" aria-live="polite">
        {cursor === null ? "" : tileWords(board, names, cursor, marks.selectedShip)}
      </p>
      <div class="sea-tools" role="group" aria-label="View of the sea">
        <Tool label="Zoom in" sign="M-6 0H6M0-6V6" act={() => rig.current?.zoom(1.4)} />
        <Tool label="Zoom out" sign="M-6 0H6" act={() => rig.current?.zoom(1 / 1.4)} />
        <Tool label="Show the whole sea" sign="M-7-3V-7H-3M3-7H7V-3M7 3V7H3M-3 7H-7V3" act={() => rig.current?.fit(isStill())} />
      </div>
    </div>
  );
}

function Tool({ label, sign, act }: { readonly label: string; readonly sign: string; readonly act: () => void }) {
  return (
    <button type="button" class="sea-tool" aria-label={label} title={label} onClick={act}>
      <svg viewBox="-10 -10 20 20" width="20" height="20" aria-hidden="true">
        <path d={sign} />
      </svg>
    </button>
  );
}

function pointed({ board, marks }: Pick<SeaProps, "board" | "marks">, tile: Tile): Pointed {
  const yard = [...board.yards.values()].find((each) => each.tile === tile);
  return { tile, ships: shipsAt(board, tile, marks.selectedShip).map((ship) => ship.id), yard: yard?.id ?? null };
}

/** Whether whoever looks wants nothing to slide. */
function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
