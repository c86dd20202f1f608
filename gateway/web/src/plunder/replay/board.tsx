// The naval board of a replay, with what is under the pointer.
import { useState } from "preact/hooks";
import type { ReplayBoardProps } from "../../frame/replay/pieces";
import { BoardView } from "../board/boardview";
import type { Pointed } from "../board/props";
import { TileTooltip } from "../match/tiletooltip";
import { noMarks } from "../planning/marks";
import type { PlunderTypes } from "../session/messages";

const noEffects = [] as const;

export function ReplayBoard({ board, names, rules, frame, progress, lookAt }: ReplayBoardProps<PlunderTypes>) {
  const [at, setAt] = useState<Pointed | null>(null);
  return (
    <>
      <BoardView
        board={board}
        names={names}
        marks={noMarks}
        effects={frame?.effects ?? noEffects}
        progress={progress}
        lookAt={lookAt}
        onPick={setAt}
        onDrag={() => undefined}
        onHover={setAt}
      />
      {at !== null && <TileTooltip board={board} at={at} names={names} rules={rules} ship={null} />}
    </>
  );
}
