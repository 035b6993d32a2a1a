import { type LoopSource, longestRequirement, loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { claimed, claimOf } from "../fixture/temporary-loops.ts";
import { claimStage } from "../state/claims.ts";
import { findLoop, listLoops, setLoopPlan } from "../state/loops.ts";
import { type LoopRequest, startLoop } from "./start-loop.ts";

let place: TemporaryLoopPlace;

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterAll(() => place.remove());

function asked(more: Partial<LoopRequest> = {}): LoopRequest {
  return {
    repository: { path: place.instance.home },
    requirement: "Add a flag.",
    source: { kind: "prose" },
    settings: loopSettings.parse({}),
    ...more,
  };
}

it("a loop begins to be planned, with a branch of its own name", async () => {
  const loop = await startLoop(place, asked());
  expect(loop).toMatchObject({ state: "planning", branch: `tiger/${loop.id}`, requirement: "Add a flag." });
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  expect(lease).toMatchObject({ kind: "plan", loop: loop.id, role: "planner" });
});

it("also one whose tasks stood in a file is planned first, so that its base is looked at", async () => {
  const source = { kind: "stories", file: "a.md", summary: "", tasks: [planned("a")] } as const;
  const loop = await startLoop(place, asked({ source: { ...source, tasks: [...source.tasks] } }));
  expect(loop).toMatchObject({ state: "planning", source });
});

it("two loops of one repository have the same, whatever way leads there", async () => {
  const one = await startLoop(place, asked());
  const other = await startLoop(place, asked({ repository: { path: `${place.instance.home}/.` } }));
  expect(other.repository).toBe(one.repository);
});

it("what cannot be carried out is refused at once, and nothing of it is kept", async () => {
  const before = (await listLoops(place.database)).items.length;
  const tasks = [planned("a", { needs: ["b"] }), planned("b", { needs: ["a"] })];
  const source = { kind: "stories", file: null, summary: "", tasks } as const;
  const refused = startLoop(place, asked({ source: { ...source, tasks } }));
  await expect(refused).rejects.toMatchObject({ code: "plan_invalid" });
  await expect(startLoop(place, asked({ requirement: " \n" }))).rejects.toMatchObject({ code: "usage" });
  const nowhere = startLoop(place, asked({ repository: { path: "/nowhere/at/all" } }));
  await expect(nowhere).rejects.toMatchObject({ code: "not_found", remedy: expect.any(String) });
  expect((await listLoops(place.database)).items).toHaveLength(before);
});

const stories = { kind: "stories", file: null, summary: "", tasks: [planned("a")] } satisfies LoopSource;
const tooLong: [string, Partial<LoopRequest>, string][] = [
  [
    "requirement",
    { requirement: "x".repeat(50_001), source: { kind: "single" } },
    "the requirement is one task: Too big: expected string to have <=50000",
  ],
  [
    "list of what a single task may change",
    { source: { kind: "single", mayChange: Array.from({ length: 201 }, () => "a") } },
    "task: mayChange: Too big: expected array to have <=200",
  ],
  [
    "summary",
    { source: { ...stories, summary: "x".repeat(5_001) } },
    "summary: Too big: expected string to have <=5000",
  ],
  [
    "story",
    { source: { ...stories, tasks: [planned("a", { instructions: "x".repeat(50_001) })] } },
    "a: instructions: Too big: expected string to have <=50000",
  ],
];

it.each(tooLong)(
  "a %s that is too long is refused with its bound, and nothing is kept",
  async (_, more, words) => {
    const before = (await listLoops(place.database)).items.length;
    const refused = startLoop(place, asked(more));
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining(words) });
    expect((await listLoops(place.database)).items).toHaveLength(before);
  },
);

it("nothing is started with a setting that cannot be used, which is named with what mends it", async () => {
  place.env["OPENTIGER_MAX_WORKERS"] = "0";
  try {
    await expect(startLoop(place, asked())).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("OPENTIGER_MAX_WORKERS"),
      remedy: expect.stringContaining("unset it"),
    });
  } finally {
    delete place.env["OPENTIGER_MAX_WORKERS"];
  }
});

it("a requirement has an end, wherever it comes from", async () => {
  const longest = "x".repeat(longestRequirement);
  expect(await startLoop(place, asked({ requirement: longest }))).toMatchObject({ state: "planning" });
  const refused = startLoop(place, asked({ requirement: `${longest}x` }));
  await expect(refused).rejects.toMatchObject({ code: "usage", remedy: expect.stringContaining("a file") });
});

it("a loop is read whatever stands in its plan, also what nobody may write any more", async () => {
  const { loop } = await plannedLoop(place, [planned("a")]);
  const verify = Array.from({ length: 21 }, () => ({ command: "true" }));
  const tasks = [planned("a", { instructions: "x".repeat(60_000), title: "x".repeat(300), verify })];
  await setLoopPlan(place.database, loop, { summary: "x".repeat(6_000), tasks });
  expect((await findLoop(place.database, loop.id))?.plan?.tasks).toEqual(tasks);
  expect((await listLoops(place.database)).items.map(({ id }) => id)).toContain(loop.id);
});
