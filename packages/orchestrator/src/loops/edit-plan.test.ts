import { afterAll, beforeAll, expect, it } from "vitest";
import { claimStage } from "../state/claims.ts";
import { claimed, claimOf } from "../state/temporary-loops.ts";
import { approveLoop } from "./approve-loop.ts";
import { cancelLoop } from "./cancel-loop.ts";
import { editPlan } from "./edit-plan.ts";
import { tasksOf } from "./tasks-of.ts";
import { planned, plannedLoop, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

afterAll(() => place.remove());

const waiting = { to: "awaiting_approval" } as const;

it("a plan that waits is edited: kept tasks keep their number, new ones come, others go", async () => {
  const tasks = [planned("a"), planned("b", { needs: ["a"] }), planned("c", { needs: ["b"] })];
  const { loop } = await plannedLoop(place, tasks, waiting);
  const plan = {
    summary: "Another way.",
    tasks: [
      planned("d", { role: "tester", needs: [] }),
      planned("c", { title: "Say c anew", needs: ["d"], verify: [{ command: "true" }] }),
      planned("a", { needs: ["c"] }),
    ],
  };
  expect(await editPlan(place, loop.id, plan)).toMatchObject({ state: "awaiting_approval", plan });
  expect(await tasksOf(place.database, loop.id)).toMatchObject([
    { number: 1, key: "a", needs: [3], state: "blocked(awaiting_approval)" },
    { number: 2, key: null, needs: [], state: "cancelled", detail: "It was taken out of the plan." },
    { number: 3, key: "c", title: "Say c anew", needs: [4], verify: [{ command: "true" }] },
    { number: 4, key: "d", role: "tester", needs: [], state: "blocked(awaiting_approval)" },
  ]);
  const back = { summary: "", tasks: [...plan.tasks, planned("b", { needs: ["a"] })] };
  await editPlan(place, loop.id, back);
  expect((await tasksOf(place.database, loop.id)).at(-1)).toMatchObject({ number: 5, key: "b", needs: [1] });
  await approveLoop(place.database, loop.id);
  expect(await claimed(claimStage(place.database, claimOf("me")))).toMatchObject({ role: "tester" });
  await cancelLoop(place.database, loop.id);
});

it("what cannot be worked off, or runs already, stays as it is", async () => {
  const { loop, plan } = await plannedLoop(place, [planned("a")], waiting);
  const circle = [planned("a", { needs: ["b"] }), planned("b", { needs: ["a"] })];
  const refused = editPlan(place, loop.id, { summary: "", tasks: circle });
  await expect(refused).rejects.toMatchObject({ code: "plan_invalid" });
  expect(await tasksOf(place.database, loop.id)).toHaveLength(1);
  await approveLoop(place.database, loop.id);
  await expect(editPlan(place, loop.id, plan)).rejects.toMatchObject({ code: "not_allowed_now" });
  await cancelLoop(place.database, loop.id);
});
