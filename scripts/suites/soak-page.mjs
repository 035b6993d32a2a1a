import { seconds } from "../setup/step.mjs";
import { sentence } from "./tally.mjs";

/** So many of the proofs are shown with the time that they took: those that are much larger than in `npm test`. */
const SHOWN = 30;

/**
 * @typedef {object} SuiteResult
 * @property {string} name
 * @property {import("./tally.mjs").Tally} tally
 * @property {number} milliseconds
 */

/**
 * What a whole `npm run soak` found, as the page that is committed.
 *
 * @param {{results: readonly SuiteResult[], total: import("./tally.mjs").Tally, milliseconds: number, day: string, on: string}} run
 */
export function soakPage({ results, total, milliseconds, day, on }) {
  const timed = results
    .flatMap(({ name, tally }) => (tally.times ?? []).map((time) => ({ suite: name, ...time })))
    .toSorted((left, right) => right.milliseconds - left.milliseconds);
  return `# Every proof at full size

One run of \`npm run soak\` on ${day}, ${on}: ${sentence(total)}, in ${seconds(milliseconds)}.

| suite | result | time |
|---|---|---:|
${results.map((each) => `| ${each.name} | ${sentence(each.tally)} | ${seconds(each.milliseconds)} |`).join("\n")}

## The longest of them

| suite | proof | time |
|---|---|---:|
${timed
  .slice(0, SHOWN)
  .map(({ suite, name, milliseconds: taken }) => `| ${suite} | ${inCell(name)} | ${seconds(taken)} |`)
  .join("\n")}
`;
}

/** @param {string} text */
function inCell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
