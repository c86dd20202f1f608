// The controls of a playback.
import { Icon } from "../ui/icon";
import { type Playback, type PlaybackState, type Speed, speeds } from "./playback";

/** What the controls do with a playback, whatever its frames are. */
export type PlaybackControls = Pick<Playback, "step" | "toggle" | "setSpeed">;

export interface PlaybackBarProps {
  readonly playback: PlaybackControls;
  readonly state: PlaybackState;
  /** Called by the last button, which ends the playback. */
  readonly onSkip: () => void;
}

/** The name of a speed in the list of speeds. */
function speedName(speed: Speed): string {
  return speed === 0 ? "Instant" : `${speed}×`;
}

export function SpeedSelect({ playback, speed }: { readonly playback: PlaybackControls; readonly speed: Speed }) {
  return (
    <select
      class="speed"
      aria-label="Speed of playback"
      value={String(speed)}
      onChange={(event) => {
        const chosen = speeds.find((other) => String(other) === event.currentTarget.value);
        if (chosen !== undefined) playback.setSpeed(chosen);
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
export function PlaybackBar({ playback, state, onSkip }: PlaybackBarProps) {
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
        <button class="icon" type="button" aria-label="Step back" title="Step back ( , )" onClick={() => playback.step(-1)}>
          <Icon name="back" />
        </button>
        <button
          class="icon"
          type="button"
          aria-label={state.playing ? "Pause" : "Play"}
          title={state.playing ? "Pause (space)" : "Play (space)"}
          onClick={() => playback.toggle()}
        >
          <Icon name={state.playing ? "pause" : "play"} />
        </button>
        <button class="icon" type="button" aria-label="Step forward" title="Step forward ( . )" onClick={() => playback.step(1)}>
          <Icon name="forward" />
        </button>
        <SpeedSelect playback={playback} speed={state.speed} />
        <button class="primary" type="button" title="Skip to the end (Enter or Esc)" onClick={onSkip}>
          Skip
        </button>
      </div>
      <progress aria-hidden="true" max={turn.length} value={place} />
    </section>
  );
}
