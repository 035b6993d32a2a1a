import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { readProject } from "../../../packages/orchestrator/src/project/read-project.ts";
import { LeaseLost } from "../../../packages/orchestrator/src/stage/lease-lost.ts";
import { baselineOf } from "../../../packages/orchestrator/src/verifying/baseline.ts";
import { runIn } from "../../setup/place.ts";
import { preparedImages } from "../../setup/prepared-images.ts";
import { until } from "../../setup/until.ts";
import { type Gates, gates, type VerifyingWorld, verifyingWorld } from "../../setup/verifying-world.ts";
import { begin, killedWhen, nothingSecret, results, said, sandboxNames } from "./begun-project.ts";
import { loopOf } from "./verifying-loop.ts";

let world: VerifyingWorld;
let gate: Gates;

beforeAll(async () => {
  [world, gate] = await Promise.all([verifyingWorld(), gates()]);
});

describe("a set-up", () => {
  test("that fails is told with its command and what it said, and leaves nothing", async () => {
    const failing = await begin(world, { setup: ["true", "echo no such registry >&2; exit 7"] });
    const images = await preparedImages(world.place);
    await expect(failing.prepare({ loop: "failing" })).rejects.toMatchObject({
      code: "setup_failed",
      message: expect.stringMatching(
        /echo no such registry.* failed, it ended with status 7: no such registry/s,
      ),
      remedy: expect.stringContaining("opentiger.json"),
    });
    await expect(
      (await begin(world, { setup: ["no-such-program"] })).prepare({ loop: "failing" }),
    ).rejects.toMatchObject({
      remedy: expect.stringContaining("image"),
    });
    expect(await sandboxNames(world)).not.toContain("loop-failing-prepare");
    expect(await preparedImages(world.place)).toEqual(images);
  });

  test("reaches what its own phase allows, and checks do not", async () => {
    const local = `localhost:${gate.port}`;
    gate.open("package");
    const file = {
      setup: [
        `curl -sf http://host.docker.internal:${gate.port}/package -o node_modules.txt`,
        "mkdir node_modules && mv node_modules.txt node_modules/",
      ],
      network: { setup: { policy: "deny", allow: [local] }, verify: { policy: "deny" } },
    };
    const phased = await begin(world, file);
    const sandbox = await phased.sandbox("phased", await phased.prepare());
    expect(await said(sandbox, "cat node_modules/node_modules.txt")).toBe("package is open");
    const { code } = await runIn(sandbox, [
      "curl",
      "-sf",
      `http://host.docker.internal:${gate.port}/package`,
    ]);
    expect(code).not.toBe(0);
    expect(gate.visits("package")).toBe(1);
  });

  test("that its process did not live to see the end of is done again, and nothing is left of the first", async () => {
    const killed = await begin(world, {
      setup: [`curl -sf "$GATE"`, "mkdir -p node_modules/x"],
      env: { GATE: gate.url("killed") },
    });
    await killedWhen(killed, "killed", () => gate.visits("killed") === 1);
    expect(await sandboxNames(world)).toContain("loop-killed-prepare");
    gate.open("killed");
    expect((await killed.prepare({ loop: "killed" })).image).not.toBeNull();
    expect(await sandboxNames(world)).not.toContain("loop-killed-prepare");
    expect(gate.visits("killed")).toBe(2);
  });

  test("whose holder has lost its lease is left to the next one", async () => {
    const lost = await begin(world, {
      setup: [`curl -sf "$GATE"`, "mkdir -p node_modules/x"],
      env: { GATE: gate.url("lost") },
    });
    const stop = new AbortController();
    const preparing = lost.prepare({ loop: "lost", signal: stop.signal });
    await until("it is set up", () => gate.visits("lost") === 1);
    stop.abort(new LeaseLost(1));
    await expect(preparing).rejects.toBeInstanceOf(LeaseLost);
    expect(await sandboxNames(world)).toContain("loop-lost-prepare");
    gate.open("lost");
    await lost.prepare({ loop: "lost" });
    expect(await sandboxNames(world)).not.toContain("loop-lost-prepare");
  });
});

describe("on the host", () => {
  test("each clone is set up by itself, once, and the user's checkout is left alone", async () => {
    const host = await begin(
      world,
      { setup: ["mkdir -p node_modules && echo run >> node_modules/runs", "echo x > generated.txt"] },
      "host",
    );
    const prepared = await host.prepare();
    expect(prepared.image).toBeNull();
    const sandbox = await host.sandbox("on-host", prepared);
    const path = sandbox.workspaces[0]?.path ?? "";
    expect(path).not.toBe(host.sample.path);
    expect(await said(sandbox, "git rev-parse HEAD; git status --porcelain; cat node_modules/runs")).toBe(
      `${host.commit}\nrun`,
    );
    const again = await host.sandbox("on-host", prepared);
    expect(await said(again, "cat node_modules/runs")).toBe("run");
    expect(existsSync(`${host.sample.path}/node_modules`)).toBe(false);

    const project = await readProject(host.sample.repository, host.commit, {});
    const { repository } = host.sample;
    const { signal } = new AbortController();
    const where = { commit: host.commit, sandbox, environment: "host" } as const;
    const asked = {
      loop: loopOf("sample"),
      repository,
      project,
      ...where,
      key: "",
      redact: nothingSecret,
      signal,
    };
    expect(results(await baselineOf(world.place, asked))).toEqual([
      "npm test: failed",
      "is red: failed",
      "adds: passed",
    ]);
  });

  test("a set-up that fails says so", async () => {
    const failing = await begin(world, { setup: ["echo no; exit 3"] }, "host");
    await expect(failing.sandbox("failing-host", await failing.prepare())).rejects.toMatchObject({
      code: "setup_failed",
    });
  });
});
