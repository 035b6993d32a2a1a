import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { openState, type State } from "@opentiger/sandbox";
import { sandboxRecord } from "@opentiger/schema";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { Egress } from "../egress/egress.ts";
import { EgressLog } from "../egress/log/egress-log.ts";
import { GatewayWorld } from "../gateway/fixture/gateway-world.ts";
import { Daemon } from "./daemon.ts";
import { Engines } from "./engines.ts";
import { PoolKeeper } from "./pool-keeper.ts";

let world: GatewayWorld;
let state: State;
let daemon: Daemon;
let warnings: string[];
let networkLog: EgressLog;
let looked: string[];

beforeEach(async () => {
  world = await GatewayWorld.make();
  state = openState(join(world.folder, "state"));
  state.records.write(record);
  state.records.claimName("one", "id-one");
  warnings = [];
  looked = [];
  networkLog = new EgressLog(join(world.folder, "log"));
  daemon = newDaemon();
});

afterEach(async () => {
  await daemon.close();
  await networkLog.close();
  await world.close();
});

describe("a published port", () => {
  it("is back when its sandbox is stopped and started", async () => {
    await daemon.attach("id-one", undefined);
    const port = await daemon.publish("one", 3000, undefined);
    await daemon.detach("id-one");
    expect(live()).toEqual([]);
    await daemon.attach("id-one", undefined);
    expect(live()).toEqual([port]);
  });

  it("is back when sandboxd is", async () => {
    await daemon.attach("id-one", undefined);
    const port = await daemon.publish("one", 3000, undefined);
    await daemon.close();
    daemon = newDaemon();
    await daemon.adopt();
    expect(live()).toEqual([port]);
  });

  it("is kept while its sandbox is stopped: another is published beside it, asked for again it is the same, and it can be taken back", async () => {
    await daemon.attach("id-one", undefined);
    const first = await daemon.publish("one", 3000, undefined);
    await daemon.detach("id-one");
    const second = await daemon.publish("one", 3001, undefined);
    expect(daemon.find("one").record.ports).toEqual([first, second]);
    expect(await daemon.publish("one", 3000, undefined)).toEqual(first);
    await daemon.detach("id-one");
    daemon.unpublish("one", first.published);
    await daemon.attach("id-one", undefined);
    expect(live()).toEqual([second]);
  });

  it("that another program has taken meanwhile stops nothing, is said, and is back at the next start", async () => {
    await daemon.attach("id-one", undefined);
    const port = await daemon.publish("one", 3000, undefined);
    await daemon.detach("id-one");
    const squatter = await listen(port.published);
    await daemon.attach("id-one", undefined);
    expect(live()).toEqual([]);
    expect(daemon.ports("one")).toEqual([{ ...port, open: false }]);
    expect(warnings.join()).toContain("a port is not published");
    await daemon.detach("id-one");
    await new Promise((resolve) => squatter.close(resolve));
    await daemon.attach("id-one", undefined);
    expect(daemon.ports("one")).toEqual([{ ...port, open: true }]);
  });

  it("is opened once where its sandbox is attached by two at once, and nobody is warned", async () => {
    await daemon.attach("id-one", undefined);
    const port = await daemon.publish("one", 3000, undefined);
    await daemon.detach("id-one");
    await Promise.all([daemon.attach("id-one", undefined), daemon.attach("id-one", undefined)]);
    expect(live()).toEqual([port]);
    expect(warnings).toEqual([]);
  });
});

describe("the pool", () => {
  it("of every engine that is known is looked at when sandboxd starts, also where it has no sandbox", async () => {
    new Engines(join(world.folder, "engines.json"), {}).remember("other", { env: {} });
    daemon = newDaemon();
    await daemon.adopt();
    await until("it is looked at", () => looked.includes("other"));
  });
});

const record = sandboxRecord.parse({
  version: 1,
  id: "id-one",
  containerId: "c",
  name: "one",
  state: "adopted",
  agent: "shell",
  workspaceKind: "direct",
  workspaces: [{ path: "/w", readOnly: false }],
  repository: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  adoptedAt: null,
  creatorPid: 1,
  engine: "e",
  image: "i",
  carrier: "socket",
  isolation: "separate-uid",
  user: { uid: 1000, gid: 1000, home: "/home/worker" },
  env: {},
});

function newDaemon(): Daemon {
  const noPool = { poolSize: () => 0, freeBytes: async () => undefined, keepPool: async () => 0 };
  const poolAt = (engine: string) => {
    looked.push(engine);
    return noPool;
  };
  return new Daemon({
    state,
    engines: new Engines(join(world.folder, "engines.json"), {}),
    egress: new Egress({ env: {}, log: networkLog }),
    gateway: world.gateway,
    networkLog,
    pool: new PoolKeeper(poolAt, 0, () => {}),
    log: (_level, sentence) => void warnings.push(sentence),
  });
}

/** Those that are listened on. */
const live = () => daemon.sandboxes.flatMap(({ ports }) => ports);

function listen(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen({ host: "127.0.0.1", port }, () => resolve(server)));
}
