import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../process/run.mjs";
import { inCheckout } from "../setup/checkout.mjs";
import { add, NOTHING, one } from "../suites/tally.mjs";
import { node24Binary } from "./binary.mjs";

/**
 * Imports every runtime dependency of every package, and starts the built command, under the Node that runs this and
 * under Node 24. Each dependency under each version counts as one test.
 *
 * @param {(line: string) => void} say
 * @returns {Promise<import("../suites/tally.mjs").Tally>}
 */
export async function checkNodeVersions(say) {
  let total = NOTHING;
  for (const node of [process.execPath, await node24Binary(say)]) {
    const version = (await run(node, ["--version"])).stdout.trim();
    const results = [...(await importDependencies(node)), ...(await startCommand(node))];
    const failures = results.filter(({ error }) => error);
    say(`  node ${version}: ${results.length - failures.length} of ${results.length} load`);
    for (const { name, error } of failures) say(`    ✗ ${name}: ${error}`);
    total = results.map(({ error }) => one(!error)).reduce(add, total);
    if (!version || results.length === 0) total = add(total, one(false));
  }
  return total;
}

/**
 * Asks from inside each package's own folder, so that what is resolved is what the package gets.
 *
 * @param {string} node
 */
async function importDependencies(node) {
  const packages = readdirSync(inCheckout("packages")).map((name) => inCheckout("packages", name));
  const asked = packages
    .filter((folder) => existsSync(join(folder, "package.json")))
    .flatMap(async (cwd) => {
      const names = runtimeDependencies(cwd);
      const { stdout, stderr } = await run(node, ["--input-type=module", "-e", IMPORT_ALL, ...names], {
        cwd,
      });
      const answers = new Map(
        stdout.split("\n").map((line) => /** @type {[string, string]} */ (line.split("\t"))),
      );
      return names.map((name) => ({
        name,
        error: answers.get(name) ?? (stderr.trim().slice(-500) || "no answer"),
      }));
    });
  return (await Promise.all(asked)).flat();
}

/** Prints a line for each name: the name, a tab, and the error or nothing. */
const IMPORT_ALL = `
for (const name of process.argv.slice(1)) {
  const error = await import(name).then(() => "", (error) => String(error.message).split("\\n")[0]);
  console.log(name + "\\t" + error);
}
process.exit(0);
`;

/** Our own packages are TypeScript and reach users only inside the bundle. @param {string} folder */
function runtimeDependencies(folder) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => !name.startsWith("@opentiger/"));
}

/** @param {string} node */
async function startCommand(node) {
  const command = inCheckout("packages", "cli", "dist", "opentiger.js");
  if (!existsSync(command)) return [];
  const { code, stderr } = await run(node, [command, "--version"]);
  return [
    { name: "opentiger --version", error: code === 0 ? "" : stderr.trim().slice(-500) || `exit ${code}` },
  ];
}
