import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LaunchPlace } from "../driver.ts";
import { session } from "./session.ts";

const id = "01a1e29d-e2d1-7020-aa14-d919c5ed7855";
const meta = `{"timestamp":"2026-11-16T04:29:20.534Z","ordinal":0,"type":"session_meta","payload":{"session_id":"${id}","id":"${id}","timestamp":"2026-11-16T04:29:20.476Z","cwd":"/project"}}\n`;
const count = (input: number) =>
  `{"timestamp":"2026-11-16T04:29:20.752Z","ordinal":17,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":${input},"cached_input_tokens":600,"cache_write_input_tokens":0,"output_tokens":20,"reasoning_output_tokens":8,"total_tokens":2020},"last_token_usage":{"input_tokens":1000,"cached_input_tokens":300,"output_tokens":10}}}}\n`;

describe("a conversation of Codex's", () => {
  let folder: string;
  let backend: HostBackend;
  let sandbox: Sandbox;
  let place: LaunchPlace;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "ot-codex-"));
    const workspace = join(folder, "project");
    mkdirSync(workspace);
    backend = new HostBackend(openState(join(folder, "state")));
    sandbox = await backend.create({
      name: "one",
      agent: "shell",
      workspaces: [{ path: workspace, readOnly: false }],
    });
    place = placeIn("first");
  });

  afterEach(async () => {
    await sandbox.close();
    await backend.reset();
    rmSync(folder, { recursive: true, force: true });
  });

  const placeIn = (name: string): LaunchPlace => ({
    backend: "host",
    cwd: join(folder, "project"),
    home: folder,
    folder,
    env: { CODEX_HOME: join(folder, name) },
  });

  const file = (name: string) =>
    join(folder, name, "sessions/2026/11/16", `rollout-2026-11-16T04-29-20-${id}.jsonl`);

  const write = (text: string) => {
    mkdirSync(join(folder, "first/sessions/2026/11/16"), { recursive: true });
    writeFileSync(file("first"), text);
  };

  it("is found by its id and put where another Codex looks for it, for its owner alone", async () => {
    write(meta + count(2000));
    const kept = await session.save(sandbox, place, id);
    expect(kept?.toString()).toBe(meta + count(2000));
    await session.restore(sandbox, placeIn("second"), id, kept ?? Buffer.alloc(0));
    expect(readFileSync(file("second"), "utf8")).toBe(meta + count(2000));
    expect(statSync(file("second")).mode & 0o777).toBe(0o600);
  });

  it("is kept without the line that is just being written", async () => {
    write(`${meta}{"timestamp":"2026-11-16T04:29:2`);
    expect((await session.save(sandbox, place, id))?.toString()).toBe(meta);
  });

  it("is nothing where there is none, and where the id is no id", async () => {
    expect(await session.save(sandbox, place, id)).toBeUndefined();
    write(meta);
    expect(await session.save(sandbox, place, "*")).toBeUndefined();
  });

  it("is not put back where it is another one", async () => {
    const other = id.replace("01a1e29d", "02a1e29d");
    await expect(session.restore(sandbox, place, other, Buffer.from(meta))).rejects.toThrow(other);
  });

  it("says what it has used, as it was after the last answer", () => {
    expect(session.used?.(Buffer.from(meta + count(1000) + count(2000)))).toEqual({
      input: 1400,
      output: 20,
      cacheRead: 600,
      cacheWrite: 0,
    });
    expect(session.used?.(Buffer.from(meta))).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  });
});
