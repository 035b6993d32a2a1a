import type { ExecutionEnvironment, LoopSettings } from "@opentiger/schema";
import type { TemporaryJudgedLoop } from "../../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import type { NewTask } from "../../../packages/orchestrator/src/state/tasks.ts";
import { type JudgeWorld, judgeWorld } from "../../setup/judge-world.ts";
import { soak } from "../../setup/soak.ts";

export const never = new AbortController().signal;

/** Where candidates are judged that show nothing of sandboxes: there is nothing to be made on the host. */
const anywhere: ExecutionEnvironment = soak ? "sandbox" : "host";

export async function openCourt(): Promise<JudgeWorld> {
  const court = await judgeWorld();
  // Of a tree that it is to judge, a judge obeys nothing all the same.
  await court.world.place.config.patch({ OPENTIGER_PROJECT_SETTINGS: "allowed" }, "test");
  return court;
}

export interface CaseParts {
  judge?: NonNullable<LoopSettings["agents"]["judge"]>;
  /** Beside those that every project has, or in their place. */
  files?: Readonly<Record<string, string>>;
  /** What its opentiger.json says besides, or instead. */
  project?: Readonly<Record<string, unknown>>;
  environment?: ExecutionEnvironment;
}

/** A loop with these tasks, on a project that has one function and one test. */
export async function begin(
  court: JudgeWorld,
  tasks: readonly NewTask[],
  {
    judge = { agent: "codex", model: "gpt-5.5" },
    files = {},
    project = {},
    environment = anywhere,
  }: CaseParts = {},
): Promise<TemporaryJudgedLoop> {
  const verify = [{ command: "node --test --test-reporter=tap", reporter: { format: "tap" } }];
  return court.begin({
    files: {
      "opentiger.json": JSON.stringify({ verify, testPaths: ["test/**"], protectedPaths: [], ...project }),
      "package.json": JSON.stringify({ name: "sample", type: "module" }),
      "src/add.js": "export const add = (a, b) => a + b;\n",
      "test/add.test.js": `import assert from "node:assert";\nimport test from "node:test";\nimport { add } from "../src/add.js";\n\ntest("adds", () => assert.equal(add(1, 2), 3));\n`,
      ...files,
    },
    tasks,
    settings: { environment, agents: { judge } },
  });
}

export function worker(title: string): NewTask {
  return { title, role: "worker", instructions: `${title}, please.`, needs: [], allowedPaths: [] };
}

/** Names of its sandboxes that are there. */
export async function sandboxesOf({ world }: JudgeWorld, { id }: TemporaryJudgedLoop): Promise<string[]> {
  const backend = await world.place.backend("sandbox");
  return (await backend.list()).map(({ name }) => name).filter((name) => name.startsWith(`loop-${id}-`));
}
