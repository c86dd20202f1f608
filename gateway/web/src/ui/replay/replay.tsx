// A match after it was played: any moment of it, with anybody's eyes, and the proof that it was so.

export interface ReplayScreenProps {
  readonly id: string;
  /** What the address says after its "?". */
  readonly query: string;
}

export function ReplayScreen({ id }: ReplayScreenProps) {
  return <main class="plain">Replay {id}</main>;
}
