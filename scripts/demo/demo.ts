import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attackSandbox } from "./attack-sandbox.ts";
import { ownInstance } from "./own-instance.ts";
import { runLoop } from "./run-loop.ts";
import { makeSampleProject } from "./sample-project.ts";
import { startScriptedModel } from "./scripted-model.ts";
import { showDashboard } from "./show-dashboard.ts";
import { exitCodeOfInterrupt, stopSignal } from "./stop-signal.ts";
import { leaveNothing } from "./tidy.ts";
import { title } from "./words.ts";

/**
 * A requirement becomes a branch of judged commits, by a real agent in sandboxes, and then such a sandbox is attacked.
 * Everything that is printed was just seen to happen. Only the model is scripted: no key and no account is needed.
 */
const stopped = stopSignal();
const onHost = process.argv.includes("--host");
const folder = mkdtempSync(join(tmpdir(), "opentiger-demo-"));
const model = await startScriptedModel();
const env = ownInstance(folder, model.url);
const failures: string[] = [];
try {
  const project = makeSampleProject(folder);
  failures.push(...(await runLoop({ env, project, onHost, stopped })));
  if (!stopped.aborted) await showDashboard(env, stopped);
  if (!stopped.aborted && !onHost) failures.push(...(await attackSandbox({ env, project })));
} finally {
  if (stopped.aborted) title("Stopped: taking everything away that was begun");
  failures.push(...(await leaveNothing(env)));
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
if (stopped.aborted) process.exit(exitCodeOfInterrupt);
title(
  failures.length === 0
    ? "Done: nothing is left behind"
    : `This was not as it should be:\n${failures.map((each) => `  ${each}`).join("\n")}`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
