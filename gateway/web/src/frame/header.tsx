// The bar at the top: where one is, how the connection is, day or night, and help.
import { useEffect, useState } from "preact/hooks";
import { Help, type HelpTexts } from "./help";
import type { Connection } from "./session/state";
import { nextTheme, readTheme, showTheme, type Theme } from "./theme";
import { isTyping } from "./ui/typing";

export interface HeaderProps {
  readonly help: HelpTexts;
  /** The connection to the followed match; null on screens that follow none. */
  readonly connection: Connection | null;
  readonly onRetry: () => void;
}

export function Header({ help, connection, onRetry }: HeaderProps) {
  const [helping, setHelping] = useState(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      setHelping(true);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <header class="head">
      <a class="brand" href="#/" aria-label="Parley: to the lobby">
        <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
          <path d="M15 3v16H6Q10 11 15 3Zm2 3q8 5 9 13h-9Z" fill="currentColor" />
          <path class="brand-hull" d="M3 22h26l-3.5 6h-19Z" />
        </svg>
        <span>Parley</span>
      </a>
      <span class="grow" />
      {connection && <ConnectionSign connection={connection} onRetry={onRetry} />}
      <ThemeButton />
      <button type="button" class="icon quiet" aria-label="Help and keys" title="Help and keys (?)" onClick={() => setHelping(true)}>
        ?
      </button>
      {helping && <Help texts={help} onClose={() => setHelping(false)} />}
    </header>
  );
}

const THEMES: Readonly<Record<Theme, { readonly sign: string; readonly words: string }>> = {
  system: { sign: "M12 4a8 8 0 1 0 .01 0M12 5v14M15 5.5v13M18 7.5v9", words: "as the system" },
  light: { sign: "M12 7a5 5 0 1 0 .01 0M12 1v3m0 16v3M1 12h3m16 0h3M4 4l2 2m12 12 2 2M4 20l2-2M18 6l2-2", words: "light" },
  dark: { sign: "M20 14A9 9 0 0 1 10 4a8.5 8.5 0 1 0 10 10Z", words: "dark" },
};

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const change = () => {
    const next = nextTheme(theme);
    showTheme(next);
    setTheme(next);
  };
  const { sign, words } = THEMES[theme];
  return (
    <button type="button" class="icon quiet" aria-label={`Theme: ${words}`} title={`Theme: ${words}`} onClick={change}>
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" data-theme-sign={theme}>
        <path d={sign} fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" />
      </svg>
    </button>
  );
}

function ConnectionSign({ connection, onRetry }: { readonly connection: Connection; readonly onRetry: () => void }) {
  const lost = connection.kind === "lost";
  return (
    <span class={`link-sign ${connection.kind}`}>
      <span class="link-dot" aria-hidden="true" />
      <span role="status">{lost ? <LostWords connection={connection} /> : WORDS[connection.kind]}</span>
      {lost && (
        <button type="button" class="small" onClick={onRetry}>
          Try now
        </button>
      )}
    </span>
  );
}

const WORDS = { connecting: "Connecting", live: "Live", ended: "Ended", refused: "Refused" } as const;

/** Counts down to the next attempt. Screen readers are told once. */
function LostWords({ connection }: { readonly connection: Connection & { readonly kind: "lost" } }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(1, Math.ceil((connection.retryAt - now) / 1000));
  return (
    <>
      <span class="unseen">Connection lost. {connection.sentence}</span>
      <span aria-hidden="true" title={connection.sentence}>
        Lost, trying again in {seconds} s
      </span>
    </>
  );
}
