import { writeFileSync } from "node:fs";
import { parts } from "./parts.ts";
import { makePlace } from "./place.ts";
import { goalsTable, type Part } from "./table.ts";

/**
 * `npm run bench [-- --quick]`: one run, one page of tables, written to bench/RESULTS.md as well.
 * `npm run bench -- PART …`: those parts only (see parts.ts for their names); nothing is written.
 */
const quick = process.argv.includes("--quick");
const asked = process.argv.slice(2).filter((word) => word !== "--quick");
const unknown = asked.filter((name) => !parts.has(name));
if (unknown.length > 0) {
  process.stderr.write(
    `no part is called ${unknown.join(", ")}; there are: ${[...parts.keys()].join(", ")}\n`,
  );
  process.exit(64);
}
const place = await makePlace();
try {
  const measured: Part[] = [];
  for (const [name, { about, measure }] of parts) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    process.stderr.write(`measuring: ${about}\n`);
    measured.push(await measure(place, quick));
  }
  const page = [
    "# Measured side by side\n",
    `One run of \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, Docker ${place.engineVersion}.`,
    "Times differ from machine to machine; the ratios are what counts.\n",
    ...measured.flatMap(({ tables }) => tables),
    goalsTable(measured.flatMap(({ goals }) => goals)),
  ].join("\n");
  process.stdout.write(page);
  if (!quick && asked.length === 0) writeFileSync(new URL("RESULTS.md", import.meta.url), page);
} finally {
  await place.remove();
}
