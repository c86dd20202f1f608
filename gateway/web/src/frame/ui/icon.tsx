// Small drawings on buttons and in lists. They take the colour of the text beside them.

const paths = {
  back: "M15 5 7 12l8 7M5 5v14",
  forward: "M9 5l8 7-8 7M19 5v14",
  play: "M7 4v16l13-8z",
  pause: "M7 5v14M17 5v14",
  first: "M18 5l-7 7 7 7M11 5l-7 7 7 7",
  last: "M6 5l7 7-7 7M13 5l7 7-7 7",
  undo: "M9 6 4 11l5 5M4 11h10a6 6 0 0 1 0 12h-3",
  redo: "M15 6l5 5-5 5M20 11H10a6 6 0 0 0 0 12h3",
  remove: "M6 6l12 12M18 6 6 18",
  lock: "M6 11h12v9H6zM9 11V7a3 3 0 0 1 6 0v4",
  coin: "M12 4a8 8 0 1 0 .01 0M12 8v8M9.5 10h3.5a2 2 0 0 1 0 4H9.5",
  clock: "M12 4a8 8 0 1 0 .01 0M12 8v5l3 2",
  flag: "M6 21V4h11l-2 4 2 4H6",
  warning: "M12 4 2.5 20h19zM12 10v5M12 17.5v.5",
  check: "M4 12l5 6L20 6",
  anchor: "M12 8v13M12 4a2 2 0 1 0 .01 0M7 11h10M4 14c1 5 5 7 8 7s7-2 8-7",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  eye: "M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7zM12 9a3 3 0 1 0 .01 0",
  up: "M5 15l7-7 7 7",
  down: "M5 9l7 7 7-7",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="sign" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" data-sign={name}>
      <path d={paths[name]} />
    </svg>
  );
}
