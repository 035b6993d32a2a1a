import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HostBackend } from "../../packages/sandbox/src/backends/host/host-backend.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { isAlive } from "../../scripts/engine/processes.mjs";
import { atEnd } from "../setup/at-end.ts";
import { runIn } from "../setup/place.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const workspace = temporaryWorkspace();
const backend = new HostBackend(openState(temporaryFolder("ot-")));
atEnd(() => backend.reset());

describe("a supervisor on the host that is killed with SIGKILL", () => {
  test("is not taken for a command's success, is told as stopped, and is followed by a new one", async () => {
    const sandbox = await newHostSandbox("killed");
    const execution = await sandbox.exec(["sleep", "600"]);
    await killSupervisor("killed");
    await expect(execution.exit).rejects.toMatchObject({ code: "session_lost" });
    expect((await backend.list()).find(({ name }) => name === "killed")?.status).toBe("stopped");

    const again = await backend.open("killed");
    await expect(again.attach(execution.id)).rejects.toMatchObject({ code: "exec_not_found" });
    expect((await runIn(again, ["sh", "-c", "exit 7"])).code).toBe(7);
    await again.close();
  });

  test("attack 33 leaves commands behind that removing the sandbox ends", async () => {
    const sandbox = await newHostSandbox("orphaned");
    await sandbox.exec(["sh", "-c", `setsid sh -c 'echo $$ > orphan; exec sleep 600' & sleep 600`]);
    const orphan = await until("it runs", () => Number(readIfThere(join(workspace, "orphan"))));
    await killSupervisor("orphaned");
    expect(isAlive(orphan)).toBe(true);
    await backend.remove("orphaned");
    expect(isAlive(orphan)).toBe(false);
  });
});

async function newHostSandbox(name: string) {
  const workspaces = [{ path: workspace, readOnly: false }];
  const sandbox = await backend.create({ name, agent: "shell", workspaces });
  atEnd(() => sandbox.close());
  return sandbox;
}

async function killSupervisor(name: string): Promise<void> {
  const { supervisor } = (await backend.inspect(name)) as { supervisor: { pid: number } };
  process.kill(supervisor.pid, "SIGKILL");
  await until("it is gone", () => !isAlive(supervisor.pid));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
