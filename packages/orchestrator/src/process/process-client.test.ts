import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { OrchestratorError } from "../errors.ts";
import { ProcessClient, processStatus } from "./process-client.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-client-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a process that takes the question and says nothing, as one that was stopped, is told with what to do about it", async () => {
  const [socket, log] = [join(folder, "silent.sock"), join(folder, "silent.log")];
  const silent = createServer(() => {}).listen(socket);
  await once(silent, "listening");
  const client = new ProcessClient({ name: "dispatcher", socket, log, shape: processStatus });
  const error: unknown = await client.status().catch((thrown: unknown) => thrown);
  silent.close();
  expect(error).toBeInstanceOf(OrchestratorError);
  expect(error).toMatchObject({
    message: "the dispatcher does not answer",
    remedy: expect.stringContaining(log),
  });
});

it("one that is not there is told as none", async () => {
  const socket = join(folder, "nobody.sock");
  const client = new ProcessClient({ name: "dispatcher", socket, log: "", shape: processStatus });
  expect(await client.status()).toBeUndefined();
});
