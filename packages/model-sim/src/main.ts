import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { choicesOf, scriptSchema } from "./scenario/scenario.ts";
import { startModelSim } from "./sim.ts";

const usage = "usage: npm start -w @opentiger/model-sim -- SCENARIO.json [--port N]";

/** npm runs it in the package's folder; a path is meant from where the user is. */
const startedIn = process.env["INIT_CWD"] ?? ".";

/** Serves the scenarios of a file until it is interrupted; says where, and what is asked. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: "string" } },
  });
  const [file] = positionals;
  if (file === undefined) throw new Error(usage);
  const script = scriptSchema.parse(JSON.parse(readFileSync(resolve(startedIn, file), "utf8")));
  const sim = await startModelSim({
    scenarioFor: choicesOf(script),
    port: Number(values.port ?? 0),
    onRequest: ({ number, method, path, agent, status, problems }) =>
      console.log([`#${number}`, method, path, agent, status, ...problems].join(" ")),
  });
  console.log(`ANTHROPIC_BASE_URL=${sim.url}`);
  console.log(`OPENAI_BASE_URL=${sim.url}/v1`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sim.close());
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
