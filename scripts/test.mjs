#!/usr/bin/env node
import { mkdirSync, writeFileSync } from "node:fs";
import { interruption } from "./process/run.mjs";
import { inCheckout } from "./setup/checkout.mjs";
import { prepare } from "./setup/prepare.mjs";
import { seconds } from "./setup/step.mjs";
import { inRows } from "./suites/rows.mjs";
import { soakPage } from "./suites/soak-page.mjs";
import { SOAK_SUITES, SUITES } from "./suites/suites.mjs";
import { add, NOTHING, one, sentence, strict } from "./suites/tally.mjs";

const soak = process.argv.includes("--soak");
if (soak) process.env.OPENTIGER_SOAK = "1";
const suites = soak ? [...SUITES, ...SOAK_SUITES] : SUITES;
const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(
    `no suite is called ${unknown.join(", ")}; there are ${suites.map(({ name }) => name).join(", ")}`,
  );
  process.exit(2);
}
const chosen = suites.filter(({ name }) => names.length === 0 || names.includes(name));

const started = performance.now();
let total = NOTHING;
/** @type {string[]} */
const summary = [];
/** @type {string[]} */
const complaints = [];
try {
  const prepared = await prepare({
    engine: chosen.some(({ needsEngine }) => needsEngine),
    tests: true,
    browser: chosen.some(({ needsBrowser }) => needsBrowser),
    terminal: chosen.some(({ needsTerminal }) => needsTerminal),
    // At full size they would fill it.
    memory: !soak,
  });
  try {
    await runSuites(prepared);
  } finally {
    await prepared.stop();
  }
} catch (error) {
  console.error(error);
  record("unexpected error", one(false), 0);
}
if (interruption()) record(`interrupted by ${interruption()}`, one(false), 0);

if (complaints.length > 0) console.log(`\n${complaints.join("\n")}`);
console.log(`\n${summary.join("\n")}\nall in ${seconds(performance.now() - started)}`);
console.log(sentence(total));
process.exitCode = total.failed > 0 ? 1 : 0;

/** @typedef {import("./suites/suites.mjs").Suite} Suite */
/** @typedef {import("./setup/prepare.mjs").Prepared} Prepared */

/** @param {Prepared} prepared */
async function runSuites(prepared) {
  record("build", one(prepared.built), 0);
  let image = prepared.image;
  for (const { front, beside } of inRows(chosen)) {
    if (image && [front, ...beside].some(({ needsImage }) => needsImage)) {
      recordImage(await image);
      image = undefined;
    }
    if (interruption()) return;
    const others = beside.map((suite) => runBeside(suite, prepared));
    await runInFront(front, prepared);
    for (const show of others) (await show)();
  }
  if (image) recordImage(await image);
}

/** @param {Suite} suite @param {Prepared} prepared */
async function runInFront(suite, prepared) {
  console.log(`\n▸ ${suite.name}`);
  const begun = performance.now();
  record(suite.name, await runOrSkip(suite, prepared), performance.now() - begun, suite.node);
}

/** What it says is kept, and shown by what this returns. @param {Suite} suite @param {Prepared} prepared */
async function runBeside(suite, prepared) {
  const begun = performance.now();
  /** @type {string[]} */
  const lines = [];
  const tally = await runOrSkip(suite, prepared, (line) => lines.push(line)).catch((error) => {
    lines.push(String(error?.stack ?? error));
    return one(false);
  });
  const milliseconds = performance.now() - begun;
  return () => {
    console.log(`\n▸ ${suite.name}, which ran beside ${suite.beside}`);
    for (const line of lines) console.log(line);
    record(suite.name, tally, milliseconds, suite.node);
  };
}

/** @param {"built" | "failed" | "no command"} image */
function recordImage(image) {
  record("worker image", image === "no command" ? { ...NOTHING, skipped: 1 } : one(image === "built"), 0);
}

/** @param {Suite} suite @param {Prepared} prepared @param {(line: string) => void} [say] */
async function runOrSkip(suite, prepared, say) {
  const reason = suite.skipReason?.(prepared);
  if (!reason) return suite.run(prepared.env, say);
  (say ?? console.log)(`  SKIPPED: ${reason}`);
  return { ...NOTHING, skipped: 1 };
}

/** @param {string} name @param {import("./suites/tally.mjs").Tally} counted @param {number} milliseconds @param {string} [node] */
function record(name, counted, milliseconds, node) {
  const tally = strict(counted, process.env);
  total = add(total, tally);
  complaints.push(...(counted.complaints ?? []).map((complaint) => `✗ ${name}: ${complaint}`));
  const time = milliseconds > 0 ? ` (${seconds(milliseconds)})` : "";
  summary.push(`${tally.failed > 0 ? "✗" : "✓"} ${name.padEnd(14)} ${sentence(tally)}${time}`);
  if (soak && counted.times) keepPage({ name, node, tally: counted, milliseconds });
}

/** @param {Omit<Parameters<typeof soakPage>[0], "day">} run */
function keepPage(run) {
  const page = soakPage({ ...run, day: new Date().toISOString().slice(0, 10) });
  mkdirSync(inCheckout("bench", "soak"), { recursive: true });
  writeFileSync(inCheckout("bench", "soak", `${run.name}.md`), page);
}
