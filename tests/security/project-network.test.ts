import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { findLoop, listEvents, listStages, startLoop } from "@opentiger/orchestrator";
import { type LoopSettings, loopSettings } from "@opentiger/schema";
import { beforeAll, expect, it } from "vitest";
import { executeStage } from "../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { claimed, claimOf } from "../../packages/orchestrator/src/fixture/temporary-loops.ts";
import { claimStage } from "../../packages/orchestrator/src/state/claims.ts";
import { atEnd } from "../setup/at-end.ts";
import { type LoopWorld, loopWorld, userRepository } from "../setup/loop-world.ts";

/** The first sandbox of a world starts sandboxd and the database. */
const startTimeoutMs = 180_000;

let world: LoopWorld;
/** Paths that were asked of a service of this machine. */
const visits: string[] = [];
let project: string;

beforeAll(async () => {
  world = await loopWorld([]);
  const service = createServer(({ url = "" }, response) => {
    visits.push(url);
    response.end("here");
  }).listen(0, "127.0.0.1");
  atEnd(() => service.close());
  await once(service, "listening");
  // A TCP server has a port, and not a path.
  const { port } = service.address() as AddressInfo;
  const ask = (way: string, url: string) => `curl -s -m 5 --noproxy '*' "${url}/${way}" || true`;
  project = userRepository({
    "README.md": "Nothing to see here.\n",
    "opentiger.json": JSON.stringify({
      setup: [ask("by-variable", "$SERVICE"), ask("by-rule", `http://host.docker.internal:${port}`)],
      verify: [`curl -sf "$SERVICE/checked"`],
      env: { SERVICE: `http://localhost:${port}` },
      network: { setup: { policy: "open", allow: [`localhost:${port}`, "10.1.2.3", "127.0.0.1:2375"] } },
    }),
  });
}, startTimeoutMs);

/** How the loop stands when it is planned, what was told of it, and what its project has reached. */
async function planned(settings: Partial<LoopSettings>) {
  visits.length = 0;
  const { database } = world.place;
  const asked = { repository: { path: project }, requirement: "It.", source: { kind: "single" as const } };
  const { id } = await startLoop(world.place, { ...asked, settings: loopSettings.parse(settings) });
  const lease = await claimed(claimStage(database, claimOf("test", {}, ["planner"])));
  await executeStage(world.place, lease, new AbortController().signal);
  const told = (await listEvents(database, { loop: id })).items;
  const about = (type: string) => told.filter((event) => event.type === type).map(({ data }) => data);
  return { loop: await findLoop(database, id), about, visited: [...visits], id };
}

it("what a repository's file asks of this machine's network is not given without a word", async () => {
  const { loop, about, visited, id } = await planned({});
  expect(visited).toEqual([]);
  expect(loop).toMatchObject({ state: "failed", plan: null });
  for (const asked of ["the policy open", "localhost:", "(by SERVICE)", "10.1.2.3", "127.0.0.1:2375"])
    expect(loop?.detail).toContain(asked);
  expect(loop?.detail).toContain("--project-network");
  expect(loop?.detail).toContain("`opentiger run` starts a new one");
  expect(loop?.detail).not.toContain("loop retry");
  expect(about("loop.project")).toMatchObject([
    { env: ["SERVICE"], network: { setup: { policy: "allow" } } },
  ]);
  const sandboxes = await (await world.place.backend("sandbox")).list();
  expect(sandboxes.filter(({ name }) => name.includes(id))).toEqual([]);
  const stages = (await listStages(world.place.database, { loop: id })).items;
  expect(stages.map(({ state }) => state)).toEqual(["ended"]);
});

it("a loop whose user withholds it does without", async () => {
  const { loop, about, visited } = await planned({ projectNetwork: "withhold" });
  expect(visited).toEqual([]);
  expect(loop).toMatchObject({ state: "running" });
  expect(about("loop.baseline")).toMatchObject([{ red: [expect.stringContaining("curl")] }]);
});

it("A14 a loop whose user gives it reaches the service, by the variable and by its rule", async () => {
  const { loop, about, visited } = await planned({ projectNetwork: "give" });
  expect(loop).toMatchObject({ state: "running" });
  expect(visited).toContain("/by-variable");
  expect(visited).toContain("/checked");
  expect(about("loop.baseline")).toMatchObject([{ red: [] }]);
});
