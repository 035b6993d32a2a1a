import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executeStage } from "../dispatch/execute-stage.ts";
import { git, TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import type { NewTask } from "../state/tasks.ts";

let place: TemporaryPlace;

/** An agent without a model: it does what stands behind RUN: in its prompt. */
const obedient = ["sh", "-c", 'eval "$(sed -n "s/^RUN: //p" "$0")"', "{promptFile}"];

beforeAll(async () => {
  place = await temporaryPlace();
  await place.config.patch(
    { OPENTIGER_WORKER_AGENT: "command", OPENTIGER_AGENT_COMMAND: obedient, EXECUTION_ENVIRONMENT: "host" },
    "test",
  );
});

afterAll(() => place.remove());

const nested = "git -c user.name=a -c user.email=a@a.test";

describe("a run that leaves what no task may leave is sent back with that, and is taken when it is gone", () => {
  it.each([
    {
      what: "a binary",
      leave: "printf 'a\\0b' > odd",
      points: [{ by: "rules", file: "odd", text: expect.stringContaining("is binary or very large") }],
    },
    {
      what: "too large a change",
      leave: "seq 1000 > odd",
      points: [{ by: "rules", file: null, text: "The change has 3898 bytes, and a task may change 1000." }],
    },
    {
      what: "too many files",
      leave: "mkdir odd && touch odd/1 odd/2 odd/3",
      points: [{ by: "rules", file: null, text: "4 files differ, and a task may change 3." }],
    },
    {
      what: "a repository within the repository",
      leave: `git init -q odd && ${nested} -C odd commit -q --allow-empty -m inner`,
      points: [
        { by: "rules", file: "odd", text: expect.stringContaining("neither add nor move submodules") },
      ],
    },
  ])("$what", async ({ leave, points }) => {
    const limits = { changedBytes: 1000, changedFiles: 3 };
    const loop = await begin(
      { instructions: `RUN: echo good > good.txt\nRUN: if [ -e odd ]; then rm -rf odd; else ${leave}; fi` },
      { "opentiger.json": JSON.stringify({ setup: [], verify: ["true"], limits }) },
    );
    await execute(loop);
    const sentBack = { state: "queued", candidateOid: null, tries: { rules: 1 } };
    expect(await loop.task()).toMatchObject({ ...sentBack, rework: { failure: "rules", points } });
    await execute(loop);
    const task = await loop.task();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    const changed = ["diff", "--name-status", task.baseOid ?? "", task.candidateOid ?? ""];
    expect(git(loop.repository.path, ...changed)).toBe("A\tgood.txt");
    loop.remove();
  });
});

async function begin(task: Partial<NewTask>, files: Record<string, string>): Promise<TemporaryJudgedLoop> {
  const whole: NewTask = {
    role: "worker",
    title: "It",
    instructions: "",
    needs: [],
    allowedPaths: [],
    ...task,
  };
  return TemporaryJudgedLoop.begin(place, { files, tasks: [whole] });
}

/** The stage that is next, whatever pause it is in. */
async function execute(loop: TemporaryJudgedLoop): Promise<void> {
  await executeStage(place, await loop.claim(), new AbortController().signal);
}
