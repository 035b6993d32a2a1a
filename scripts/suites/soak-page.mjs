import { seconds } from "../setup/step.mjs";
import { sentence } from "./tally.mjs";

/** So many of the proofs are shown with the time that they took: those that are much larger than in `npm test`. */
const SHOWN = 15;

/**
 * What `npm run soak` found in one suite, as the page that is committed.
 *
 * @param {{name: string, node?: string | undefined, tally: import("./tally.mjs").Tally, milliseconds: number, day: string}} run
 */
export function soakPage({ name, node, tally, milliseconds, day }) {
  const longest = (tally.times ?? [])
    .toSorted((left, right) => right.milliseconds - left.milliseconds)
    .slice(0, SHOWN)
    .map((test) => `| ${inCell(test.name)} | ${seconds(test.milliseconds)} |`);
  return `# ${name}, every proof at ${node ? "the size of `npm test`" : "full size"}

\`npm run soak -- ${name}\` on ${day}, Node ${node ?? process.version}: ${sentence(tally)}, in ${seconds(milliseconds)}. The longest of them:

| proof | time |
|---|---:|
${longest.join("\n")}
`;
}

/** @param {string} text */
function inCell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
