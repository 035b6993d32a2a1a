import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claimStage } from "../state/claims.ts";
import { listLoops } from "../state/loops.ts";
import { claimed, claimOf } from "../state/temporary-loops.ts";
import { type LoopRequest, startLoop } from "./start-loop.ts";
import { planned, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
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

it("what cannot be worked off is refused at once, and nothing of it is kept", async () => {
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
