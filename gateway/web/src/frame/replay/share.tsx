// The address of the moment that is shown, to be given to others.
import { useEffect, useState } from "preact/hooks";
import { wholeAddress } from "../route";
import { Icon } from "../ui/icon";

/** How long it is said that the link was copied. */
const saidMs = 2500;

export function Share({ address }: { readonly address: string }) {
  const [said, setSaid] = useState<"" | "copied" | "shown">("");
  useEffect(() => {
    if (said !== "copied") return undefined;
    const timer = setTimeout(() => setSaid(""), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  const link = wholeAddress(address);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      setSaid("copied");
    } catch {
      setSaid("shown");
    }
  };
  return (
    <span class="share">
      <button type="button" aria-label="Link to this moment" onClick={() => void copy()}>
        <Icon name="link" />
        <span class="share-words">{said === "copied" ? "Copied" : "Link to this moment"}</span>
      </button>
      <span class="unseen" role="status">
        {said === "copied" ? "The link was copied." : ""}
      </span>
      {said === "shown" && <input class="share-link" readOnly aria-label="The link" value={link} onFocus={(event) => event.currentTarget.select()} />}
    </span>
  );
}
