import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answered } from "./answered.ts";
import { Engine } from "./engine.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-answered-"));
const path = join(folder, "engine.sock");

/** Takes every question, answers one that lists, and hangs at all others. */
const engine = createServer((request, response) => {
  if (request.url?.includes("/containers/json")) response.end("[]");
});

beforeAll(() => new Promise<void>((resolve) => engine.listen(path, resolve)));

afterAll(() => {
  engine.closeAllConnections();
  engine.close();
  rmSync(folder, { recursive: true });
});

const { docker } = new Engine({ kind: "socket", path });

it("an engine that hangs is said to be unavailable after a while", async () => {
  const removal = answered(
    (abortSignal) => docker.getContainer("one").remove({ force: true, abortSignal }),
    200,
  );
  await expect(removal).rejects.toMatchObject({
    code: "engine_unavailable",
    message: expect.stringContaining("has not answered for 0.2 seconds"),
    remedy: expect.stringContaining("docker ps"),
  });
});

it("what an engine answers in time is the answer, and what it refuses is its own error", async () => {
  expect(await answered((abortSignal) => docker.listContainers({ abortSignal }), 60_000)).toEqual([]);
  await expect(answered(() => Promise.reject(new Error("no")), 60_000)).rejects.toThrow("no");
});
