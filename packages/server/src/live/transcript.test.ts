import { appendFileSync, rmSync } from "node:fs";
import { agentEvent } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { askServer } from "../../../../tests/setup/ask-server.ts";
import { serverWorld } from "../../../../tests/setup/server-world.ts";
import type { RunningServer } from "../server.ts";
import { temporaryServer } from "../temporary-server.ts";

const instance = temporaryServer();
let server: RunningServer;
let run: string;
let file: string;

const transcript = z.object({ items: z.array(agentEvent), gone: z.string().nullable() });

beforeAll(async () => {
  server = await instance.start();
  ({ run } = await serverWorld(server, instance.home));
  file = `${server.parts.place.folder}/runs/${run}/events.ndjson`;
  await server.parts.place.database.query("update runs set status = 'succeeded', last_seq = 3");
});

afterAll(() => instance.remove());

it("of a run that ended is read to its end, and its stream ends", async () => {
  expect(await read()).toMatchObject({ items: [1, 2, 3].map((seq) => ({ seq })), gone: null });
  expect(await live()).toContain(`event: end\ndata: {"run":"${run}","gone":null}`);
});

it("in which one that slept has written some again is read without doubles", async () => {
  const at = new Date().toISOString();
  const events = [2, 3, 4, 4].map((seq) => JSON.stringify({ type: "text", text: `again ${seq}`, seq, at }));
  appendFileSync(file, `${events.join("\n")}\n`);
  const { items } = await read();
  expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect((await live()).match(/^id: .*$/gm)).toEqual(["id: 1", "id: 2", "id: 3", "id: 4"]);
});

it("that is not kept any more says so, and by which settings", async () => {
  rmSync(file);
  const { items, gone } = await read();
  expect(items).toEqual([]);
  expect(gone).toContain("OPENTIGER_ARTIFACT_TIME");
  expect(await live()).toContain(JSON.stringify({ run, gone }));
  await server.parts.place.database.query("update runs set last_seq = 0");
  expect((await read()).gone, "an agent that said nothing").toBeNull();
});

async function read(): Promise<z.infer<typeof transcript>> {
  return transcript.parse((await askServer(server.url, `/runs/${run}/transcript`)).json);
}

async function live(): Promise<string> {
  return (await askServer(server.url, `/runs/${run}/transcript/live`)).text;
}
