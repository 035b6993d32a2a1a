import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { commitFiles, makeRepository, scratchFolder } from "../../../../tests/setup/user-git.ts";
import { executeStage } from "../dispatch/execute-stage.ts";
import { planned } from "../fixture/temporary-loop-place.ts";
import { claimed, claimOf } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { startLoop } from "../loops/start-loop.ts";
import { ProcessEnding } from "../stage/lease-lost.ts";
import { claimStage } from "../state/claims.ts";
import { takeOver } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import { listRuns } from "../state/runs.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

afterAll(() => place.remove());

it("a planner at work goes on when its stage is taken over, although another one is configured by then", async () => {
  const user = makeRepository(join(scratchFolder(), "user"));
  commitFiles(user, { "README.md": "Notes.\n" });
  const [begun, answer] = [join(scratchFolder(), "begun"), join(scratchFolder(), "answer")];
  const script = `echo once >> ${begun}; until [ -e ${answer} ]; do sleep 0.1; done; cat ${answer}`;
  await place.config.patch(
    { OPENTIGER_PLANNER_AGENT: "command", OPENTIGER_AGENT_COMMAND: ["sh", "-c", script] },
    "test",
  );
  const { id: loop } = await startLoop(place, {
    repository: { path: user },
    requirement: "More.",
    source: { kind: "prose" },
    settings: loopSettings.parse({ environment: "host" }),
  });
  const lease = await claimed(claimStage(place.database, claimOf("one", {}, ["planner"])));
  const ending = new AbortController();
  const first = executeStage(place, lease, ending.signal);
  await until("the planner is at work", () => existsSync(begun));
  ending.abort(new ProcessEnding());
  await first;

  await place.config.patch({ OPENTIGER_PLANNER_AGENT: "claude_code" }, "test");
  writeFileSync(answer, JSON.stringify({ summary: "One.", tasks: [planned("a")] }));
  const taken = await takeOver(place.database, lease, { owner: "other", leaseMs: 60_000, deadOwner: "one" });
  if (!taken) throw new Error("it could not be taken over");
  await executeStage(place, taken, new AbortController().signal);
  expect(await findLoop(place.database, loop)).toMatchObject({ detail: null, plan: { summary: "One." } });
  expect(readFileSync(begun, "utf8")).toBe("once\n");
  const runs = (await listRuns(place.database, { loop, limit: 10 })).items;
  expect(runs).toMatchObject([{ agent: "command", state: "succeeded" }]);
});
