import { opentigerVersion } from "@opentiger/schema/version";

const words = process.argv.slice(2);

// What people type to see whether it is there at all needs nothing of the rest, which takes most of the time to load.
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  process.stdout.write(`opentiger version ${opentigerVersion}\n`);
} else {
  const { runOpentiger } = await import("../program/run-opentiger.ts");
  await runOpentiger(words);
}
