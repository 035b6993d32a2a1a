import { Dispatcher, type EventRow, type LoopRow, lastJudgement, listEvents } from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { checkoutState } from "../setup/checkout-state.ts";
import { fullSizeTimeout } from "../setup/full-size.ts";
import { buildGoImage } from "../setup/go-image.ts";
import { type LoopWorld, loopWorld } from "../setup/loop-world.ts";
import { obeyOnly } from "../setup/obedient-agent.ts";
import * as odd from "../setup/odd-repositories.ts";
import { soak } from "../setup/soak.ts";
import { type Kind, refused, working, writes } from "./project-kinds.ts";

interface Started {
  project: string;
  before: Record<string, string>;
  loop: LoopRow;
}

const patienceMs = fullSizeTimeout * 5;
vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });
let world: LoopWorld;
const started = new Map<Kind, Started>();

/** All of them go on beside each other; each test waits for its own. */
beforeAll(async () => {
  if (soak) buildGoImage();
  world = await loopWorld([]);
  await obeyOnly(world);
  const atOnce = { OPENTIGER_MAX_PLANNERS: 4, OPENTIGER_MAX_RUNNING: 8, OPENTIGER_MAX_JUDGES: 4 };
  await world.place.config.patch(atOnce, "test");
  const dispatcher = Dispatcher.start(world.place);
  atEnd(() => dispatcher.stop());
  for (const kind of [...Object.values(refused), ...Object.values(working)]) {
    const project = kind.repository();
    const before = checkoutState(project);
    const environment = kind.anywhere && !soak ? "host" : "sandbox";
    const loop = await world.start(project, [kind.task ?? writes], { ...kind.settings, environment });
    started.set(kind, { project, before, loop });
  }
});

describe("a loop on a project", () => {
  test.each(Object.entries(working))("%s comes to its end", async (_, kind) => {
    const { project, before, loop } = startedAs(kind);
    const ended = await world.ended(loop.id, patienceMs);
    expect([ended.detail, ended.state]).toEqual([null, "done"]);
    expect(ended.summary).toMatchObject({
      commits: 1,
      tasks: [{ state: "done", runs: 1, judgement: "pass" }],
    });
    await expectSaidFirst(kind, loop);
    expect(checkoutState(project)).toEqual(before);
    const [base, branch] = [ended.baseOid ?? "", `tiger/${loop.id}`];
    expect(odd.git(project, "diff", "--name-only", base, branch).trim().split("\n")).toEqual(
      Object.keys(kind.branch),
    );
    for (const [path, content] of Object.entries(kind.branch))
      expect(odd.git(project, "cat-file", "blob", `${branch}:${path}`)).toBe(content);
  });

  test.each(Object.entries(refused))("%s is refused, with what to do", async (_, kind) => {
    const { project, before, loop } = startedAs(kind);
    const ended = await world.ended(loop.id, patienceMs);
    expect(ended.state).toBe("failed");
    const [task] = await world.tasks(loop.id);
    expect(task?.detail ?? ended.detail).toMatch(kind.detail);
    await expectSaidFirst(kind, loop);
    expect(odd.branches(project, "tiger/*")).toEqual([]);
    expect(checkoutState(project)).toEqual(before);
  });
});

test("what was red before is no evidence for a task, nor against it", async () => {
  const { loop } = startedAs(working["with a red test"]);
  await world.ended(loop.id, patienceMs);
  const [task] = await world.tasks(loop.id);
  const judgement = await lastJudgement(world.place.database, task?.id ?? "");
  expect(judgement).toMatchObject({ judgement: "pass", evidence: { trouble: null } });
  expect(judgement?.evidence.redBefore.filter((name) => name.includes("is red"))).toHaveLength(1);
  const results = judgement?.evidence.rounds.flatMap(({ results: all }) => all) ?? [];
  expect(results.filter(({ test: name }) => name?.includes("is green")).map(({ result }) => result)).toEqual([
    "passed",
  ]);
});

test("a project that has no test is judged by the model alone, and that is said", async () => {
  const { loop } = startedAs(working["without any test"]);
  await world.ended(loop.id, patienceMs);
  const [task] = await world.tasks(loop.id);
  const judgement = await lastJudgement(world.place.database, task?.id ?? "");
  expect(judgement?.evidence.notes).toContain(
    "the project has no checks: nothing but this opinion speaks for it",
  );
});

test("a submodule stays where it was, and so do the pointers of Git LFS", async () => {
  const [outer, large] = [working["with a submodule"], working["with files that Git LFS keeps"]].map(
    startedAs,
  );
  for (const each of [outer, large]) await world.ended(each?.loop.id ?? "", patienceMs);
  const entry = (at: Started | undefined, revision: string, path: string) =>
    odd.git(at?.project ?? "", "ls-tree", revision, path);
  expect(entry(outer, `tiger/${outer?.loop.id}`, "inner")).toMatch(/^160000 commit/);
  expect(entry(outer, `tiger/${outer?.loop.id}`, "inner")).toBe(entry(outer, "main", "inner"));
  expect(odd.git(large?.project ?? "", "cat-file", "blob", `tiger/${large?.loop.id}:big.bin`)).toBe(
    odd.pointer,
  );
});

function startedAs(kind: Kind | undefined): Started {
  const found = kind && started.get(kind);
  if (!found) throw new Error("no loop was started for this kind of project");
  return found;
}

async function expectSaidFirst({ said, unsaid }: Kind, { id }: LoopRow): Promise<void> {
  const { items } = await listEvents(world.place.database, { loop: id, limit: 500 });
  const begun = items.findIndex(({ type }) => type === "task.claim");
  const before = begun < 0 ? items : items.slice(0, begun);
  const words = before.filter(isAboutTheProject).map(({ data }) => JSON.stringify(data));
  for (const sentence of said) expect(words.join("\n")).toMatch(sentence);
  if (unsaid) expect(words.join("\n")).not.toMatch(unsaid);
}

function isAboutTheProject({ type }: EventRow): boolean {
  return ["loop.base", "loop.project", "loop.baseline"].includes(type);
}
