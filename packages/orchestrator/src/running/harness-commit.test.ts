import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostBackend, openState } from "@opentiger/sandbox";
import { afterAll, expect, it, vi } from "vitest";
import { commitNow } from "./harness-commit.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-commit-")));
const backend = new HostBackend(openState(join(folder, "state")));

afterAll(async () => {
  await backend.reset();
  rmSync(folder, { recursive: true, force: true });
});

it("what an agent left is committed once, also where its follower dies while git is at work", async () => {
  const workspace = join(folder, "project");
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", workspace, ...words], { encoding: "utf8" }).trim();
  execFileSync("git", ["init", "--quiet", workspace]);
  git("-c", "user.name=a", "-c", "user.email=a@a", "commit", "--quiet", "--allow-empty", "--message=base");
  const start = git("rev-parse", "HEAD");
  const [begun, released] = [join(folder, "begun"), join(folder, "released")];
  writeFileSync(join(workspace, "left.txt"), "left\n");
  writeFileSync(join(workspace, ".gitattributes"), "left.txt filter=slow\n");
  // As slow as a large tree: git waits for it with its index locked.
  git("config", "filter.slow.clean", `echo >> ${begun}; until [ -e ${released} ]; do sleep 0.05; done; cat`);
  const workspaces = [{ path: workspace, readOnly: false }];
  const work = {
    run: { id: randomUUID(), startedAt: new Date() },
    turn: 0,
    redact: (text: string) => text,
    signal: new AbortController().signal,
  };
  const made = { name: "commits", agent: "shell", workspaces } as const;
  const first = await backend.create(made);
  const dead = commitNow(work, first, { start });
  await vi.waitUntil(() => existsSync(begun), 30_000);
  await first.close();
  await expect(dead).rejects.toMatchObject({ code: "session_lost" });

  const second = await backend.open(made.name);
  const found = commitNow(work, second, { start });
  writeFileSync(released, "");
  const left = await found;
  if ("failure" in left) throw new Error(left.failure.message);
  const { commit, tree } = left;
  expect(git("rev-parse", "HEAD", "HEAD^", `${commit}^{tree}`)).toBe([commit, start, tree].join("\n"));
  expect(git("show", `${commit}:left.txt`)).toBe("left");
  expect(await second.execs()).toHaveLength(1);
  await second.close();
});
