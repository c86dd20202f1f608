// Two ships that sail towards each other, over the question that the game is about.
import { emblemPath, ownerColour } from "../../frame/ui/emblem";
import "./picture.css";

/** The sea goes on beside the ships, however wide the picture is. */
const SEA = `${"t30 0".repeat(60)}v40H-720Z`;

export function LobbyPicture() {
  return (
    <svg class="lobby-picture" viewBox="0 0 360 96" aria-hidden="true" preserveAspectRatio="xMidYMax meet">
      <path class="wave far" d={`M-720 70q15-8 30 0${SEA}`} />
      <Vessel x={118} owner={0} facing={1} />
      <Vessel x={242} owner={1} facing={-1} />
      <path class="wave near" d={`M-720 80q15 8 30 0${SEA}`} />
    </svg>
  );
}

function Vessel({ x, owner, facing }: { readonly x: number; readonly owner: number; readonly facing: 1 | -1 }) {
  return (
    <g transform={`translate(${x} 72) scale(${facing} 1)`}>
      <path class="vessel-mast" d="M0 6V-60" />
      <path class="vessel-sail" d="M-26 -6Q-20 -38 -3 -56V-6ZM3 -52Q26 -36 30 -6H3Z" />
      <path d={emblemPath(owner)} fill={ownerColour(owner)} fill-rule="evenodd" transform="translate(13 -21) scale(0.9)" />
      <path d="M-36 0H40L30 18H-28Z" fill={ownerColour(owner)} />
      <path class="vessel-shade" d="M-36 0H40L37 5H-33Z" />
    </g>
  );
}
