import { delimiter } from "node:path";
import { whyNoEngine } from "../engine/engine.mjs";
import { run } from "../process/run.mjs";
import { CHECKOUT, inCheckout, tool } from "./checkout.mjs";
import { ensureHostClaude } from "./host-claude.mjs";
import { prepare } from "./prepare.mjs";
import { step } from "./step.mjs";

/**
 * Sets everything up, runs one TypeScript program of this repository with the arguments we were given, and ends with
 * its exit code. It is not run when the set-up failed: that has said why. Where there can be no engine, this is all that
 * is done: nobody waits for what could not be used.
 *
 * @param {string} file
 * @param {{browser?: boolean, agent?: string, withoutEngine?: string}} [options] `withoutEngine`: what can be done where there
 *   is none
 */
export async function runProgram(file, { withoutEngine, ...needs } = {}) {
  const instead = withoutEngine ? `  INSTEAD: ${withoutEngine}` : "";
  const why = await whyNoEngine();
  if (why !== undefined) {
    console.log([`  NO ENGINE: ${why}`, instead].filter(Boolean).join("\n"));
    process.exitCode = 1;
    return;
  }
  const prepared = await prepare({ engine: true, ...needs });
  try {
    if (prepared.withoutEngine !== undefined && instead) console.log(instead);
    if (!prepared.built || prepared.withoutEngine !== undefined || (await prepared.image) === "failed") {
      process.exitCode = 1;
      return;
    }
    await runThere(file, prepared.env);
  } finally {
    await prepared.stop();
  }
}

/** The same without an engine, for a program that runs agents on the host. @param {string} file */
export async function runProgramOnHost(file) {
  const { env, built } = await prepare({ engine: false });
  if (!built) {
    process.exitCode = 1;
    return;
  }
  const claude = await step("Claude Code on this machine", ensureHostClaude);
  await runThere(file, { ...env, PATH: `${claude}${delimiter}${env.PATH ?? ""}` });
}

/** @param {string} file @param {NodeJS.ProcessEnv} env */
async function runThere(file, env) {
  const { code } = await run(tool("tsx"), [inCheckout(file), ...process.argv.slice(2)], {
    cwd: CHECKOUT,
    env,
    stdio: "inherit",
  });
  process.exitCode = code;
}
