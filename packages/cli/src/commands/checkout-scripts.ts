import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exitCode, SandboxError } from "@opentiger/sandbox";
import { Argument, Command } from "commander";
import { loopExamples } from "../loop/place.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { quiet } from "../program/verb.ts";

/** The parts of bench/parts.ts, in its order. */
export const benchParts = [
  "exec",
  "lifecycle",
  "many",
  "network",
  "gateway",
  "agents",
  "loops",
  "server",
  "dashboard",
] as const;

export function benchCommand(surroundings: Surroundings, here?: string): Command {
  return quiet(new Command("bench"), surroundings)
    .description("measure openTiger beside plain Docker, in a checkout of it: tables, for people to read")
    .addArgument(new Argument("[part]", "one of them; all of them by default").choices(benchParts))
    .option("--quick", "few rounds: to see that it works, not how fast it is")
    .addHelpText("after", loopExamples("bench", "bench exec", "bench --quick"))
    .action(async (part: string | undefined, { quick }: { quick?: true }) => {
      const words = [...(part === undefined ? [] : [part]), ...(quick ? ["--quick"] : [])];
      surroundings.exitWith(await runScript("bench", words, surroundings, here));
    });
}

export function demoCommand(surroundings: Surroundings, here?: string): Command {
  return quiet(new Command("demo"), surroundings)
    .description(
      "see a requirement become judged commits, in a checkout of openTiger; without a key or an account",
    )
    .option("--host", "run agents on this machine itself, with nothing isolated")
    .addHelpText("after", loopExamples("demo", "demo --host"))
    .action(async ({ host }: { host?: true }) => {
      surroundings.exitWith(await runScript("demo", host ? ["--host"] : [], surroundings, here));
    });
}

/** What `npm run NAME` starts, with this terminal as its own. Returns what it ended with. */
async function runScript(
  name: string,
  words: readonly string[],
  { env }: Surroundings,
  here?: string,
): Promise<number> {
  const child = spawn(process.execPath, [scriptOf(name, here), ...words], { env, stdio: "inherit" });
  // A terminal sends Ctrl-C to both: the script ends what it started, and we end with it.
  const leaveToChild = () => {};
  const tellChild = () => child.kill("SIGTERM");
  process.on("SIGINT", leaveToChild).on("SIGTERM", tellChild);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve(exitCode({ code, signal, reason: "exited" })));
    });
  } finally {
    process.off("SIGINT", leaveToChild).off("SIGTERM", tellChild);
  }
}

/** Above us in a checkout, whether we are built or run from source; an installation has no scripts. */
function scriptOf(name: string, here = dirname(fileURLToPath(import.meta.url))): string {
  for (let folder = here; ; folder = dirname(folder)) {
    const script = join(folder, "scripts", `${name}.mjs`);
    if (existsSync(script) && existsSync(join(folder, "packages", "cli"))) return script;
    if (folder === dirname(folder)) break;
  }
  throw new SandboxError(
    "unsupported",
    `\`opentiger ${name}\` needs a checkout of openTiger, and this is an installation`,
    { remedy: `in a checkout: npm run ${name}` },
  );
}
