// The controls of a reel.
import { type Reel, type ReelState, type Speed, speeds } from "./reel";
import { Sign } from "./sign";

export interface PlaybackProps {
  readonly reel: Reel;
  readonly state: ReelState;
  /** What the last button says: it ends the showing. */
  readonly onSkip: () => void;
}

/** What a speed is called. */
function speedName(speed: Speed): string {
  return speed === 0 ? "Instant" : `${speed}×`;
}

export function SpeedSelect({ reel, speed }: { readonly reel: Reel; readonly speed: Speed }) {
  return (
    <select
      class="speed"
      aria-label="Speed of playback"
      value={String(speed)}
      onChange={(event) => {
        const chosen = speeds.find((other) => String(other) === event.currentTarget.value);
        if (chosen !== undefined) reel.setSpeed(chosen);
      }}
    >
      {speeds.map((other) => (
        <option key={other} value={String(other)}>
          {speedName(other)}
        </option>
      ))}
    </select>
  );
}

/** What is shown of a turn that is played back, and the buttons for it. */
export function Playback({ reel, state, onSkip }: PlaybackProps) {
  const frame = state.frames[state.at];
  if (frame === undefined) return null;
  const turn = state.frames.filter((other) => other.turn === frame.turn);
  const place = turn.indexOf(frame) + 1;
  return (
    <section class="playback panel" aria-label="Playback">
      <div class="playback-words">
        <strong>Turn {frame.turn}</strong>
        <span class="soft numbers">
          {place} of {turn.length}
        </span>
        <span class="playback-title">{frame.title}</span>
      </div>
      <div class="playback-keys">
        <button class="icon" type="button" aria-label="Step back" title="Step back ( , )" onClick={() => reel.step(-1)}>
          <Sign name="back" />
        </button>
        <button
          class="icon"
          type="button"
          aria-label={state.playing ? "Pause" : "Play"}
          title={state.playing ? "Pause (space)" : "Play (space)"}
          onClick={() => reel.toggle()}
        >
          <Sign name={state.playing ? "pause" : "play"} />
        </button>
        <button class="icon" type="button" aria-label="Step forward" title="Step forward ( . )" onClick={() => reel.step(1)}>
          <Sign name="forward" />
        </button>
        <SpeedSelect reel={reel} speed={state.speed} />
        <button class="primary" type="button" title="Skip to the end (Enter or Esc)" onClick={onSkip}>
          Skip
        </button>
      </div>
      <progress aria-hidden="true" max={turn.length} value={place} />
    </section>
  );
}
