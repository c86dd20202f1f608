// Goes to any moment of a replay: its turns, and the frames of the one that is shown.
import type { PlaybackState } from "../playback/playback";
import { type PlaybackControls, SpeedSelect } from "../playback/playbackbar";
import { Icon } from "../ui/icon";
import type { Highlight } from "./pieces";

export interface ScrubberProps {
  readonly playback: PlaybackControls;
  readonly state: PlaybackState;
  readonly turn: number;
  readonly last: number;
  readonly step: number;
  readonly highlights: ReadonlyMap<number, Highlight>;
  readonly onTurn: (turn: number) => void;
  readonly onStep: (step: number) => void;
  readonly onPlay: () => void;
  readonly onBy: (by: 1 | -1) => void;
}

export function Scrubber({ playback, state, turn, last, step, highlights, onTurn, onStep, onPlay, onBy }: ScrubberProps) {
  const title = step === 0 ? "As it was planned" : (state.frames[step - 1]?.title ?? "");
  const words = highlights.get(turn)?.words ?? "";
  return (
    <section class="scrubber" aria-label="Playback">
      <div class="scrubber-keys">
        <button class="icon" type="button" aria-label="Turn before" title="Turn before ( [ )" disabled={turn <= 1} onClick={() => onTurn(turn - 1)}>
          <Icon name="first" />
        </button>
        <button class="icon" type="button" aria-label="Step back" title="Step back ( , )" onClick={() => onBy(-1)}>
          <Icon name="back" />
        </button>
        <button
          class="icon primary"
          type="button"
          aria-label={state.playing ? "Pause" : "Play"}
          title={state.playing ? "Pause (space)" : "Play (space)"}
          onClick={onPlay}
        >
          <Icon name={state.playing ? "pause" : "play"} />
        </button>
        <button class="icon" type="button" aria-label="Step forward" title="Step forward ( . )" onClick={() => onBy(1)}>
          <Icon name="forward" />
        </button>
        <button class="icon" type="button" aria-label="Turn after" title="Turn after ( ] )" disabled={turn >= last} onClick={() => onTurn(turn + 1)}>
          <Icon name="last" />
        </button>
        <SpeedSelect playback={playback} speed={state.speed} />
        <span class="scrubber-words">
          <strong class="numbers">
            Turn {turn} of {last}
          </strong>{" "}
          <span class="soft">{title}</span>
        </span>
      </div>
      <div class="scrubber-line">
        <span class="soft small" aria-hidden="true">
          Turn
        </span>
        <input
          type="range"
          aria-label="Turn"
          aria-valuetext={words === "" ? `Turn ${turn} of ${last}` : `Turn ${turn} of ${last}: ${words}`}
          min={1}
          max={Math.max(1, last)}
          value={turn}
          disabled={last === 0}
          onInput={(event) => onTurn(Number(event.currentTarget.value))}
        />
        <Strip last={last} highlights={highlights} />
      </div>
      <div class="scrubber-line">
        <span class="soft small" aria-hidden="true">
          Step
        </span>
        <input
          type="range"
          aria-label="Step of the turn"
          aria-valuetext={`${title}, ${step} of ${state.frames.length}`}
          min={0}
          max={Math.max(1, state.frames.length)}
          value={step}
          disabled={state.frames.length === 0}
          onInput={(event) => onStep(Number(event.currentTarget.value))}
        />
      </div>
    </section>
  );
}

/** Marks under the turns in which something happened, and taller ones where something was lost for good. */
function Strip({ last, highlights }: { readonly last: number; readonly highlights: ReadonlyMap<number, Highlight> }) {
  const place = (turn: number) => (last <= 1 ? 50 : ((turn - 1) / (last - 1)) * 100);
  return (
    <svg class="strip" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {[...highlights].map(([turn, { grave }]) => (
        <line key={turn} data-grave={grave} x1={place(turn)} x2={place(turn)} y1={grave ? 0 : 4} y2={10} />
      ))}
    </svg>
  );
}
