import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LaunchPlace } from "../driver.ts";
import { projectFolder, session } from "./session.ts";

const id = "66666666-6666-4666-8666-666666666666";
const queued = `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-11-16T05:05:47.819Z","sessionId":"${id}","content":"say \\"type\\":\\"user\\""}\n`;
const prompt = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"text","text":"Mend it."}]},"uuid":"1dc8a3fd-e6e8-4645-8772-d387ae5718b5","sessionId":"${id}"}\n`;

describe("a conversation of Claude Code's", () => {
  let folder: string;
  let backend: HostBackend;
  let sandbox: Sandbox;
  let place: LaunchPlace;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "ot-claude-"));
    const workspace = join(folder, "project");
    mkdirSync(workspace);
    backend = new HostBackend(openState(join(folder, "state")));
    const workspaces = [{ path: workspace, readOnly: false }];
    sandbox = await backend.create({ name: "one", agent: "shell", workspaces });
    place = placeWith({ HOME: join(folder, "first"), CLAUDE_CONFIG_DIR: "" });
  });

  afterEach(async () => {
    await sandbox.close();
    await backend.reset();
    rmSync(folder, { recursive: true, force: true });
  });

  const placeWith = (env: Record<string, string>): LaunchPlace => ({
    backend: "host",
    cwd: join(folder, "project"),
    home: folder,
    folder,
    env,
  });

  const file = (below: string) =>
    join(folder, below, "projects", `${folder.replaceAll(/[^a-zA-Z0-9]/g, "-")}-project`, `${id}.jsonl`);

  const write = (text: string) => {
    mkdirSync(dirname(file("first/.claude")), { recursive: true });
    writeFileSync(file("first/.claude"), text);
  };

  it("is put where another Claude Code looks for it, for its owner alone", async () => {
    write(queued + prompt);
    const kept = await session.save(sandbox, place, id);
    expect(kept?.toString()).toBe(queued + prompt);
    const other = placeWith({ CLAUDE_CONFIG_DIR: join(folder, "second") });
    await session.restore(sandbox, other, id, kept ?? Buffer.alloc(0));
    expect(readFileSync(file("second"), "utf8")).toBe(queued + prompt);
    expect(statSync(file("second")).mode & 0o777).toBe(0o600);
  });

  it("is kept without the line that was being written", async () => {
    write(`${queued}${prompt}{"parentUuid":"1dc8`);
    expect((await session.save(sandbox, place, id))?.toString()).toBe(queued + prompt);
  });

  it("is none before the prompt was taken, and none of that name is none", async () => {
    write(queued);
    expect(await session.save(sandbox, place, id)).toBeUndefined();
    expect(await session.save(sandbox, place, "77777777-7777-4777-8777-777777777777")).toBeUndefined();
  });

  it("is never looked for or put outside its folder", async () => {
    expect(await session.save(sandbox, place, `../${id}`)).toBeUndefined();
    await expect(session.restore(sandbox, place, `../${id}`, Buffer.from(prompt))).rejects.toThrow(
      "not a conv",
    );
  });
});

describe("the folder for a working directory", () => {
  it("has its letters and digits, and a dash for every other sign", () => {
    expect(projectFolder("/tmp/a.b/My Project_é😀")).toBe("-tmp-a-b-My-Project----");
  });

  it("is cut where it is long, and has the sum that Claude Code makes", () => {
    const cwd = `/tmp/a project/${"abcdefghi_".repeat(12)}/${"jklm.nop ".repeat(12)}/ünï-日本-😀`;
    expect(projectFolder(cwd)).toBe(
      `-tmp-a-project-${"abcdefghi-".repeat(12)}-${"jklm-nop-".repeat(7)}j-eiaxnf`,
    );
  });
});
