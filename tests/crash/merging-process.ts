import { openPlace } from "@opentiger/orchestrator";
import { mergeStage, mergeSteps } from "../../packages/orchestrator/src/merging/merge-stage.ts";
import { LeaseLost } from "../../packages/orchestrator/src/stage/lease-lost.ts";
import { lease } from "../../packages/orchestrator/src/state/lease.ts";

/** A process that merges, and sends itself this signal, once, when it has come to the step that it was told. */
const [held = "", stop = "", signal = "SIGKILL"] = process.argv.slice(2);
if (!mergeSteps.some((step) => step === stop)) throw new Error(`there is no step ${stop}`);
const parsed: unknown = JSON.parse(held);
const place = await openPlace(process.env, { program: "merging" });
const until = new Date(Date.now() + 600_000);
let signalled = false;
const merging = mergeStage(
  place,
  lease.parse({ ...Object(parsed), until }),
  new AbortController().signal,
  async (step) => {
    if (step !== stop || signalled) return;
    signalled = true;
    process.kill(process.pid, signal);
  },
);
await merging.catch((error: unknown) => {
  if (!(error instanceof LeaseLost)) throw error;
});
await place.close();
