import type { TaskFailureType } from "@opentiger/schema";
import { taskFailureRules } from "../../../packages/orchestrator/src/recovery/task-failures.ts";
import { soak } from "../../setup/soak.ts";
import { doing, type FailureCase } from "./failing-tasks.ts";
import { type LoopParts, project } from "./running-world.ts";

const withFile = (file: object): LoopParts => ({
  files: { ...project, "opentiger.json": JSON.stringify(file) },
});
const onHost: LoopParts = { settings: { environment: "host" } };
/** Where there is nothing to be made; what such a failure leads to is the same in sandboxes. */
const anywhere: LoopParts = soak ? {} : onHost;

/** So often it has been tried already, but for the full size, when its last run begins. */
const untilTheLast = (type: TaskFailureType) => (soak ? 0 : Number(taskFailureRules[type].limit));

/** What the agent's own work comes to nothing of. Titles are what the model goes by. */
export const withinRuns: FailureCase[] = [
  { type: "auth", task: { title: "Meet 401" } },
  { type: "context", task: { title: "Meet a long context" } },
  { type: "refusal", task: { title: "Meet a refusal" } },
  { type: "network", task: { title: "Meet garbage" } },
  { type: "tool_loop", task: { title: "Meet a tool loop" } },
  { type: "denied", task: { title: "Ask the host", agent: "claude_code" }, about: onHost },
  { type: "no_change", task: doing("true"), about: anywhere },
  { type: "verify", task: doing("echo rude > src/word.txt"), about: anywhere },
  { type: "crash", task: doing("kill -9 $$"), about: anywhere },
  { type: "unknown", task: doing("echo x > src/x.txt; exit 3"), about: anywhere },
  { type: "rules", task: doing("echo x > elsewhere.txt"), about: anywhere },
  { type: "setup", task: doing("true"), about: withFile({ setup: ["echo oops; exit 3"] }) },
];

export const ofSilence: FailureCase = {
  type: "idle",
  task: doing("sleep 300"),
  about: anywhere,
  before: untilTheLast("idle"),
};

/** What is around it, and how much it may take. */
export const aroundRuns: FailureCase[] = [
  { type: "overloaded", task: { title: "Meet 529" }, before: 4 },
  { type: "sandbox", task: doing("true"), about: withFile({ limits: { memory: "1m" } }) },
  {
    type: "max_turns",
    task: { title: "Take many turns" },
    about: anywhere,
    before: untilTheLast("max_turns"),
  },
];

/** Whose models are at no address that may be asked. */
export const misled: FailureCase = { type: "policy", task: { title: "Reach a model" } };

/** Whose runs have little time. */
export const hurried: FailureCase = { type: "timeout", task: doing("sleep 300"), about: anywhere };

/** Whose sandbox goes under its agent. */
export const ofSandboxes: FailureCase[] = (["removed", "lost"] as const).map((type) => ({
  type,
  task: doing("sleep 600"),
  before: untilTheLast(type),
}));

/** What does not end by so many runs of the same, or not of an agent's: where, and by the test of which name, it is shown. */
export const shownElsewhere: Partial<Record<TaskFailureType, [file: string, test: string]>> = {
  quota: ["running/failures.test.ts", "waits until it is back, in a sandbox that is stopped"],
  budget: ["running/failures.test.ts", "a loop whose budget is used up is paused"],
  cancelled: ["running/failures-around.test.ts", "a task that is cancelled has one run"],
  malformed: ["planning.test.ts", "of which no plan comes has failed after so many tries"],
  judge: ["judging/candidates.test.ts", "goes back with the points, its conversation and its work, so often"],
  inconclusive: [
    "judging/troubles.test.ts",
    "because a check takes too long is inconclusive, is tried again",
  ],
  conflict: ["judging/candidates.test.ts", "because it conflicts with the branch goes back once, and then"],
  dispute: ["running/run.test.ts", "are red, and go back to who wrote them when the worker says why"],
};
