import { rmSync } from "node:fs";
import type { LoopSource } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runFolder } from "../agent/run-files.ts";
import { executeStage } from "../dispatch/execute-stage.ts";
import { type FileEdits, git, TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { listEvents } from "../state/events.ts";
import { lastJudgement } from "../state/judgements.ts";
import type { NewTask } from "../state/tasks.ts";
import { openWork } from "./work.ts";

let place: TemporaryPlace;

const opinion = JSON.stringify({ judgement: "pass", summary: "It is as asked for.", points: [] });

/** An agent without a model: it does what stands behind RUN: in its prompt, and as a judge it passes everything. */
const script = `if grep -q '^You are the judge' "$0"; then echo '${opinion}'; else eval "$(sed -n 's/^RUN: //p' "$0")"; fi`;
const obedient = ["sh", "-c", script, "{promptFile}"];

beforeAll(async () => {
  place = await temporaryPlace();
  await place.config.patch(
    {
      OPENTIGER_WORKER_AGENT: "command",
      OPENTIGER_JUDGE_AGENT: "command",
      OPENTIGER_AGENT_COMMAND: obedient,
      EXECUTION_ENVIRONMENT: "host",
    },
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
    const taken = await loop.task();
    expect(taken).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    const changed = ["diff", "--name-status", taken.baseOid ?? "", taken.candidateOid ?? ""];
    expect(git(loop.repository.path, ...changed)).toBe("A\tgood.txt");
    loop.remove();
  });
});

describe("a command that a model proposed and nobody has let run on this machine", () => {
  const proposed = "echo it ran; false";
  const note = `not run, since a model proposed it and nobody has let it run on this machine: ${proposed}`;

  it("is run neither on the work nor by the judge, and both say so", async () => {
    const loop = await proposedLoop();
    await execute(loop);
    expect(await loop.task()).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    expect(await leftOut(loop)).toEqual([[note]]);
    await execute(loop);
    const judgement = await lastJudgement(place.database, (await loop.task()).id);
    expect(judgement).toMatchObject({
      judgement: "pass",
      evidence: { notes: expect.arrayContaining([note]) },
    });
    const ran = judgement?.evidence.rounds.flatMap(({ results }) => results.map(({ command }) => command));
    expect(new Set(ran)).toEqual(new Set(["true"]));
    loop.remove();
  });

  it("is told of once a run, also where whoever told of it dies at once", async () => {
    const loop = await proposedLoop();
    const lease = await loop.claim();
    const { run } = await openWork(place, lease, new AbortController().signal);
    // As if it had not come to writing down anything else.
    rmSync(runFolder(place, run), { recursive: true, force: true });
    await openWork(place, lease, new AbortController().signal);
    expect(await leftOut(loop)).toEqual([[note]]);
    loop.remove();
  });

  async function proposedLoop(): Promise<TemporaryJudgedLoop> {
    const about = { instructions: "RUN: echo good > good.txt", verify: [{ command: proposed }] };
    const files = { "opentiger.json": JSON.stringify({ setup: [], verify: ["true"] }) };
    return begin(about, files, { kind: "prose" });
  }

  async function leftOut({ id }: TemporaryJudgedLoop): Promise<unknown[]> {
    const { items } = await listEvents(place.database, { loop: id, limit: 500 });
    return items.filter(({ type }) => type === "run.left_out").map(({ data }) => data["notes"]);
  }
});

describe("a run is compared with the branch that it was begun on", () => {
  const check = `n=0 bad=0
for each in tests/*.sh; do
  n=$((n + 1)); if sh "$each"; then echo "ok $n - $each"; else bad=1; echo "not ok $n - $each"; fi
done
echo "1..$n"; exit $bad
`;
  const files = {
    "opentiger.json": JSON.stringify({
      setup: ["true"],
      verify: [{ command: "sh check.sh", reporter: { format: "tap" } }],
    }),
    "check.sh": check,
    "tests/kind.sh": "! grep -q rude one.txt\n",
  };
  const writes = (name: string) => task({ instructions: `RUN: echo kind > ${name}`, allowedPaths: [name] });

  it("whatever was merged since, where it goes on in its sandbox", async () => {
    const mending = "if [ -e one.txt ]; then echo kind > one.txt; else echo rude > one.txt; fi";
    const first = task({ instructions: `RUN: ${mending}`, allowedPaths: ["one.txt"] });
    const loop = await TemporaryJudgedLoop.begin(place, { files, tasks: [first, task({ title: "Two" })] });
    await execute(loop);
    expect(await loop.task()).toMatchObject({ state: "queued", tries: { verify: 1 } });
    await loop.submit(2, { "tests/two.sh": "true\n" });
    // Judged, and merged.
    await execute(loop, 2);
    await execute(loop, 2);
    expect(await loop.task(2)).toMatchObject({ state: "done" });
    await execute(loop);
    expect(await loop.task()).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    loop.remove();
  });

  it("where tests have gone that were there when the loop began, and nobody has looked since", async () => {
    const tasks = [writes("one.txt"), task({ title: "Two" }), writes("three.txt")];
    const loop = await TemporaryJudgedLoop.begin(place, { files, tasks });
    await execute(loop);
    expect(await loop.task()).toMatchObject({ state: "blocked(awaiting_judge)" });
    await loop.submit(2, { "tests/kind.sh": null, "tests/two.sh": "true\n", "package-lock.json": "{}\n" });
    await loop.pass(2);
    await execute(loop, 2);
    expect(await loop.task(2)).toMatchObject({ state: "done" });
    await execute(loop, 3);
    expect(await loop.task(3)).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    expect(await sandboxes()).toEqual([]);
    loop.remove();
  });

  async function sandboxes(): Promise<string[]> {
    return (await (await place.backend("host")).list()).map(({ name }) => name);
  }
});

async function begin(
  about: Partial<NewTask>,
  files: FileEdits,
  source?: LoopSource,
): Promise<TemporaryJudgedLoop> {
  return TemporaryJudgedLoop.begin(place, { files, tasks: [task(about)], ...(source ? { source } : {}) });
}

function task(about: Partial<NewTask>): NewTask {
  return { role: "worker", title: "It", instructions: "", needs: [], allowedPaths: [], ...about };
}

/** The stage of a task that is next, whatever pause it is in. */
async function execute(loop: TemporaryJudgedLoop, number = 1): Promise<void> {
  await executeStage(place, await loop.claim(number), new AbortController().signal);
}
