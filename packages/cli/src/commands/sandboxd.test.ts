import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Sandboxd, type SandboxdStatus, sandboxdProtocol } from "@opentiger/sandboxd";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { recordedSurroundings } from "../program/recorded-surroundings.ts";
import { sandboxdCommand } from "./sandboxd.ts";

const now = new Date("2026-01-01T02:00:00Z");

const status: SandboxdStatus = {
  protocol: sandboxdProtocol,
  version: "0.1.0",
  pid: 4711,
  startedAt: "2026-01-01T00:00:00.000Z",
  hostRuns: 0,
  sandboxes: [
    {
      id: "a",
      name: "mine",
      policy: "deny",
      connections: 3,
      ports: [{ inside: 3000, published: 8080 }],
      trouble: null,
    },
    { id: "b", name: "lost", policy: "allow", connections: 0, ports: [], trouble: "the engine is away" },
  ],
};

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-sandboxd-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What the command prints, for a user whose state is in `home`. */
async function said(...words: string[]): Promise<string> {
  const recorded = recordedSurroundings({
    env: { OPENTIGER_HOME: home },
    now,
    invocation: "opentiger sandbox",
  });
  await sandboxdCommand(recorded.surroundings).parseAsync(words, { from: "user" });
  return recorded.stdout;
}

/** In the place of the daemon, for its answers alone. */
async function answering(answer: SandboxdStatus): Promise<void> {
  const { socket } = new Sandboxd({ OPENTIGER_HOME: home }).paths;
  mkdirSync(dirname(socket), { recursive: true });
  const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
}

describe("opentiger sandboxd", () => {
  test("status says that none runs, and what that means", async () => {
    expect(await said("status")).toMatch(/does not run.*no network until then/);
    expect(JSON.parse(await said("status", "--json"))).toEqual({ running: false });
  });

  test("status shows for which sandboxes it runs, their ports, and what is wrong", async () => {
    await answering(status);
    const lines = (await said("status")).split("\n");
    expect(lines[0]).toMatch(/^sandboxd 0\.1\.0 has run for 2h, as process 4711$/);
    expect(lines[2]).toMatch(/^SANDBOX +POLICY +CONNECTIONS +PORTS +TROUBLE$/);
    expect(lines[3]).toMatch(/^mine +deny +3 +8080->3000 *$/);
    expect(lines[4]).toMatch(/^lost +allow +0 +the engine is away$/);
    expect(JSON.parse(await said("status", "--json"))).toEqual({ running: true, ...status });
  });

  test("logs are what it has written, and nothing where it never ran", async () => {
    const { folder, log } = new Sandboxd({ OPENTIGER_HOME: home }).paths;
    expect(await said("logs")).toBe("");
    mkdirSync(folder, { recursive: true });
    writeFileSync(log, '{"level":"info","message":"sandboxd runs"}\nlast\n');
    expect(await said("logs")).toBe('{"level":"info","message":"sandboxd runs"}\nlast\n');
    expect((await said("logs", "--json")).trim().split("\n")).toHaveLength(2);
  });
});
