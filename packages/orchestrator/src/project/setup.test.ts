import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostBackend, openState } from "@opentiger/sandbox";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { setupIn } from "./setup.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-setup-")));
const backend = new HostBackend(openState(join(folder, "state")));

afterEach(() => void vi.useRealTimers());

afterAll(async () => {
  await backend.reset();
  rmSync(folder, { recursive: true, force: true });
});

it("a clock that is put forward takes no time from a set-up", async () => {
  const workspace = join(folder, "project");
  execFileSync("git", ["init", "--quiet", workspace]);
  const workspaces = [{ path: workspace, readOnly: false }];
  const sandbox = await backend.create({ name: "set-up", agent: "shell", workspaces });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const said: string[] = [];
  await setupIn(
    sandbox,
    { setup: ["true", "sleep 0.3"], env: {}, verify: [] },
    {
      timeoutMs: 60_000,
      execId: "setup-clock",
      signal: new AbortController().signal,
      say: (line) => {
        said.push(line);
        vi.setSystemTime(Date.now() + 3_600_000);
      },
    },
  );
  expect(said).toEqual(["set-up: true", "set-up: sleep 0.3"]);
  await sandbox.close();
});
