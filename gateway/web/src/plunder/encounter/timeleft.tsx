// How much time there is to answer: a bar and seconds.
import { useEffect, useState } from "preact/hooks";
import type { PlunderPrompt } from "../session/messages";

/** The last seconds are shown as urgent. */
const URGENT_MS = 10_000;

export function TimeLeft({ prompt, short = false }: { readonly prompt: PlunderPrompt; readonly short?: boolean }) {
  const { deadline, since } = prompt;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (deadline === null) return;
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, [deadline]);
  if (deadline === null) return short ? null : <p class="soft small prompt-time">Take your time: there is no limit.</p>;
  const left = Math.max(0, deadline - now);
  const words = left === 0 ? "Time is up" : `${Math.ceil(left / 1000)} s left`;
  return (
    <div class="prompt-time" role="timer" aria-label="Time left">
      {!short && (
        <progress class={left < URGENT_MS ? "urgent" : ""} max={Math.max(1, deadline - since)} value={left} aria-hidden="true" />
      )}
      <span class={`numbers small ${left < URGENT_MS ? "bad-text" : "soft"}`}>{words}</span>
    </div>
  );
}
