// A match of a game that this page does not have.

/** Says which game it is, so that somebody can look for a page that has it. */
export function unknownGameWords(ruleset: string): string {
  return `This match is of the game “${ruleset}”, which this page does not know.`;
}

export function UnknownGame({ ruleset }: { readonly ruleset: string }) {
  return (
    <main class="plain">
      <h1 class="unseen">Parley</h1>
      <div class="notice warn" role="alert">
        <p>{unknownGameWords(ruleset)}</p>
        <a class="button" href="#/">
          To the lobby
        </a>
      </div>
    </main>
  );
}
