import { run } from "../process/run.mjs";
import { CHECKOUT, inCheckout, tool } from "./checkout.mjs";
import { prepare } from "./prepare.mjs";

/**
 * Sets everything up, runs one TypeScript program of this repository with the arguments we were given, and ends with
 * its exit code. It is not run when the set-up failed: that has said why.
 *
 * @param {string} file
 */
export async function runProgram(file) {
  const prepared = await prepare({ engine: true });
  try {
    if (!prepared.built || prepared.withoutEngine !== undefined || (await prepared.image) === "failed") {
      process.exitCode = 1;
      return;
    }
    const { code } = await run(tool("tsx"), [inCheckout(file), ...process.argv.slice(2)], {
      cwd: CHECKOUT,
      env: prepared.env,
      stdio: "inherit",
    });
    process.exitCode = code;
  } finally {
    await prepared.stop();
  }
}
