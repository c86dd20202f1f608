// Moments in which a connection that seems to stand may long be gone, or one that was lost can be had again.

/** A page that was hidden for this long does not trust its connection. */
const ASLEEP_MS = 30_000;

/** Calls back when the network comes back, or the page is looked at after a while; until the returned function is called. */
export function onWake(wake: () => void): () => void {
  if (typeof document === "undefined") return () => {};
  let hidden: number | null = null;
  const seen = () => {
    if (document.visibilityState === "hidden") hidden ??= Date.now();
    else {
      if (hidden !== null && Date.now() - hidden > ASLEEP_MS) wake();
      hidden = null;
    }
  };
  document.addEventListener("visibilitychange", seen);
  window.addEventListener("online", wake);
  return () => {
    document.removeEventListener("visibilitychange", seen);
    window.removeEventListener("online", wake);
  };
}
