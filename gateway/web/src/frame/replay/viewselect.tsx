// Whose eyes a replay is seen with.

export interface ViewSelectProps {
  readonly names: readonly string[];
  /** The seat that looks; null sees everything. */
  readonly seat: number | null;
  readonly onSeat: (seat: number | null) => void;
}

export function ViewSelect({ names, seat, onSeat }: ViewSelectProps) {
  return (
    <label class="view-select">
      <span class="soft small">Seen by</span>
      <select
        aria-label="Seen by"
        value={seat === null ? "all" : String(seat)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onSeat(value === "all" ? null : Number(value));
        }}
      >
        <option value="all">Everybody: nothing hidden</option>
        {names.map((name, place) => (
          <option key={place} value={String(place)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
