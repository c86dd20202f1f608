import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Tile } from "../model/model";
import { stackedShips } from "./berths";
import { ChartLayer } from "./chart";
import { focusOf } from "./focus";
import { centre, sizeOf, tileUnder } from "./geometry";
import { listen } from "./gestures";
import { keyActionOf, KEYS_IN_WORDS } from "./keys";
import { Pieces } from "./pieces";
import type { Pointed, BoardViewProps } from "./props";
import { startingTile } from "./startingtile";
import { tileWords } from "./tilewords";
import { Viewport } from "./viewport";
import "./board.css";

/**
 * The sea as a chart: terrain, ships, what is planned and what happens. While effects are played, `board` is the one
 * before them or after them: ships that an effect is about are where and how the effect has them.
 */
export function BoardView(props: BoardViewProps) {
  const { board, names, marks, effects, progress, lookAt } = props;
  const { chart } = board;
  const words = useId();
  const port = useRef<HTMLDivElement>(null);
  const world = useRef<HTMLDivElement>(null);
  const viewport = useRef<Viewport | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [scale, setScale] = useState(1);
  const [hovered, setHovered] = useState<Tile | null>(null);
  const [cursor, setCursor] = useState<Tile | null>(null);

  useLayoutEffect(() => {
    if (!port.current || !world.current) return undefined;
    const made = new Viewport(port.current, world.current, setScale);
    viewport.current = made;
    const now = () => latest.current;
    const stop = listen(port.current, made, {
      tileAt: (x, y) => {
        const point = made.pointAt(x, y);
        return tileUnder(now().board.chart, point.x, point.y);
      },
      shipOn: (tile) => {
        const [first] = stackedShips(now().board, tile, now().marks.selectedShip);
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

  useLayoutEffect(() => viewport.current?.show(sizeOf(chart), centre(chart, startingTile(board))), [chart.width, chart.height]);
  useEffect(() => {
    if (lookAt) viewport.current?.lookAt(centre(latest.current.board.chart, lookAt.tile), isStill());
  }, [lookAt]);
  useEffect(() => {
    const tile = focusOf(effects);
    const { board: shown, controls = false } = latest.current;
    if (tile !== null) viewport.current?.follow(centre(shown.chart, tile), controls, isStill());
    else if (effects.length === 0) viewport.current?.comeBack(isStill());
  }, [effects]);

  const go = (to: Tile) => {
    setCursor(to);
    viewport.current?.lookAt(centre(chart, to), isStill());
    props.onHover(pointed(props, to));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const deed = keyActionOf(event, chart, cursor ?? startingTile(board, marks));
    if (!deed || (deed.kind === "pick" && cursor === null)) return;
    event.preventDefault();
    event.stopPropagation();
    if (deed.kind === "go") go(cursor === null ? startingTile(board, marks) : deed.to);
    else if (deed.kind === "pan") viewport.current?.pan(deed.dx, deed.dy);
    else if (deed.kind === "zoom") viewport.current?.zoom(deed.factor);
    else if (deed.kind === "fit") viewport.current?.fit(isStill());
    else if (cursor !== null) props.onPick(pointed(props, cursor));
  };

  return (
    <div class="board" data-detail={scale < 0.5 ? "far" : "near"}>
      <div
        ref={port}
        class="board-port"
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
        <div ref={world} class="board-world">
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
      <p class="board-said" aria-live="polite">
        {cursor === null ? "" : tileWords(board, names, cursor, marks.selectedShip)}
      </p>
      <div class="board-tools" role="group" aria-label="View of the sea">
        <Tool label="Zoom in" sign="M-6 0H6M0-6V6" act={() => viewport.current?.zoom(1.4)} />
        <Tool label="Zoom out" sign="M-6 0H6" act={() => viewport.current?.zoom(1 / 1.4)} />
        <Tool label="Show the whole sea" sign="M-7-3V-7H-3M3-7H7V-3M7 3V7H3M-3 7H-7V3" act={() => viewport.current?.fit(isStill())} />
      </div>
    </div>
  );
}

function Tool({ label, sign, act }: { readonly label: string; readonly sign: string; readonly act: () => void }) {
  return (
    <button type="button" class="board-tool" aria-label={label} title={label} onClick={act}>
      <svg viewBox="-10 -10 20 20" width="20" height="20" aria-hidden="true">
        <path d={sign} />
      </svg>
    </button>
  );
}

function pointed({ board, marks }: Pick<BoardViewProps, "board" | "marks">, tile: Tile): Pointed {
  const yard = [...board.yards.values()].find((each) => each.tile === tile);
  return { tile, ships: stackedShips(board, tile, marks.selectedShip).map((ship) => ship.id), yard: yard?.id ?? null };
}

/** Whether whoever looks wants nothing to slide. */
function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
