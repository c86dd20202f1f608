/** The whole page: which screen is shown is in the fragment of the address. */
export function Page() {
  return <main>Parley</main>;
}
