import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { recordedSurroundings } from "../program/recorded-surroundings.ts";
import { benchCommand, demoCommand } from "./checkout-scripts.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-checkout-"));
const built = join(folder, "checkout", "packages", "cli", "dist");
const installed = join(folder, "node_modules", "opentiger", "dist");
const said = join(folder, "said.json");

for (const each of [built, installed, join(folder, "checkout", "scripts")])
  mkdirSync(each, { recursive: true });
const script = `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(said)}, JSON.stringify(process.argv.slice(1)));
process.exitCode = 3;
`;
for (const name of ["bench", "demo"])
  writeFileSync(join(folder, "checkout", "scripts", `${name}.mjs`), script);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  { make: benchCommand, name: "bench", words: ["exec", "--quick"] },
  { make: benchCommand, name: "bench", words: [] },
  { make: demoCommand, name: "demo", words: ["--host"] },
])("$name $words starts the script of the checkout, and ends as it does", async ({ make, name, words }) => {
  const recorded = recordedSurroundings({ invocation: "opentiger sandbox" });
  await make(recorded.surroundings, built).parseAsync(words, { from: "user" });
  expect(recorded.status).toBe(3);
  const started = join(folder, "checkout", "scripts", `${name}.mjs`);
  expect(JSON.parse(readFileSync(said, "utf8"))).toEqual([started, ...words]);
});

test("elsewhere they say where they can be had", async () => {
  const { surroundings } = recordedSurroundings({ invocation: "opentiger sandbox" });
  await expect(benchCommand(surroundings, installed).parseAsync([], { from: "user" })).rejects.toMatchObject({
    code: "unsupported",
    remedy: "in a checkout: npm run bench",
  });
});
