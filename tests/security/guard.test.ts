import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { attack } from "../setup/attack.ts";
import { isRunning } from "../setup/docker.ts";
import { placeOf, runIn } from "../setup/place.ts";
import { type SameUidSandbox, sameUidSandbox } from "../setup/same-uid-supervisor.ts";
import { newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const workspace = temporaryWorkspace();
const victim = { id: "victim-of-attack", command: ["sh", "-c", "sleep 600", "secret-in-a-command-line"] };
const denied = "Operation not permitted";
let ours: Sandbox;
let prototype: SameUidSandbox;

beforeAll(async () => {
  prototype = await sameUidSandbox(workspace);
  ours = await newSandbox(await newInstance(), workspace);
});

describe("attack 34 SIGUSR1 opens the inspector, which turns an exit code of 7 into 0", () => {
  interface Report {
    signals: { supervisor: string; init: string };
    inspector: boolean;
    patched: boolean;
  }

  test("under a supervisor of the agent's uid that does not handle the signal", async () => {
    const { sandbox } = await sameUidSandbox(workspace, { withoutSignalGuard: true });
    expect((await runIn(sandbox, ["sh", "-c", "exit 7"])).code).toBe(7);
    const report = await attack<Report>(placeOf(sandbox), "inspector.mjs");
    expect(report).toEqual({ signals: { supervisor: "sent", init: "sent" }, inspector: true, patched: true });
    expect((await runIn(sandbox, ["sh", "-c", "exit 7"])).code).toBe(0);
  });

  test("not under ours: the signal is refused, nothing listens, and 7 stays 7", async () => {
    const report = await attack<Report>(placeOf(ours), "inspector.mjs");
    expect(report).toEqual({
      signals: { supervisor: "EPERM", init: "EPERM" },
      inspector: false,
      patched: false,
    });
    expect((await runIn(ours, ["sh", "-c", "exit 7"])).code).toBe(7);
  });
});

describe("attack 35 a command that speaks to the supervisor's sockets sees and kills another's exec", () => {
  type Report = Record<string, string>;

  test("under a supervisor of the agent's uid", async () => {
    const execution = await prototype.sandbox.exec(victim.command, { id: victim.id });
    const report = await attack<Report>(placeOf(prototype.sandbox), "sockets.mjs", victim.id);
    expect(report["/run/opentiger/control.sock"]).toContain("secret-in-a-command-line");
    expect(report["planted"]).toContain("secret-in-a-command-line");
    expect(await execution.exit).toMatchObject({ signal: "SIGKILL" });
  });

  test("not under ours: no socket opens, none can be planted, and the exec goes on", async () => {
    const execution = await ours.exec(victim.command, { id: victim.id });
    const report = await attack<Report>(placeOf(ours), "sockets.mjs", victim.id);
    expect(report["/run/opentiger/control.sock"]).toBe("EACCES");
    expect(report["planted"]).toBe("EACCES");
    expect(Object.values(report).join("\n")).not.toContain("secret-in-a-command-line");
    expect((await ours.execs()).find(({ id }) => id === victim.id)?.exit).toBeNull();
    await execution.kill();
  });
});

describe("attack 36 a command reads the environment, memory and files of supervisor and init", () => {
  type Report = Record<"supervisor" | "init", Record<string, string>>;

  test("under a supervisor of the agent's uid", async () => {
    const { supervisor } = await attack<Report>(placeOf(prototype.sandbox), "peek.py");
    expect(new Set(Object.values(supervisor))).toEqual(new Set(["open"]));
  });

  test("not under ours", async () => {
    const { supervisor, init } = await attack<Report>(placeOf(ours), "peek.py");
    const seen = new Set([...Object.values(supervisor), ...Object.values(init)]);
    expect([...seen].toSorted()).toEqual(["Permission denied"]);
  });
});

describe("attack 36 a command reads the environment of another", () => {
  const holder = ["sh", "-c", "echo $$; exec sleep 600"];
  const env = { TOKEN: "secret-in-an-environment" };

  /** Starts a command that holds a secret, and says what the agent sees of its environment. */
  async function seenOf(user?: string): Promise<string> {
    const execution = await ours.exec(holder, { env, ...(user ? { user } : {}) });
    const { value } = await execution.output()[Symbol.asyncIterator]().next();
    const pid = String(value?.data).trim();
    const { stdout, stderr } = await runIn(ours, ["cat", `/proc/${pid}/environ`]);
    await execution.kill();
    return stdout + stderr;
  }

  test("when both run as the agent: no secret belongs into a command's environment", async () => {
    expect(await seenOf()).toContain(env.TOKEN);
  });

  test("not when the other runs as another user", async () => {
    expect(await seenOf("root")).toContain("Permission denied");
  });
});

describe("attack 37 a command takes hold of the supervisor and ends it", () => {
  type Report = Record<"supervisor" | "init", Record<string, string>>;

  test("under a supervisor of the agent's uid", async () => {
    const { sandbox, container } = await sameUidSandbox(workspace);
    const { supervisor } = await attack<Report>(placeOf(sandbox), "seize.py", "STOP", "CONT");
    expect(supervisor).toEqual({ ptrace: "held", STOP: "sent", CONT: "sent" });
    const killed = runIn(sandbox, ["sh", "-c", "kill -9 -1"]);
    await expect(killed).rejects.toMatchObject({ code: "session_lost" });
    await until("the container has ended", async () => !(await isRunning(container)));
  });

  test("not under ours: no debugger and no signal reaches supervisor or init", async () => {
    const signals = ["STOP", "TERM", "HUP", "INT", "QUIT", "ABRT", "SEGV", "KILL"];
    const report = await attack<Report>(placeOf(ours), "seize.py", ...signals);
    const refused = Object.fromEntries(["ptrace", ...signals].map((name) => [name, denied]));
    expect(report).toEqual({ supervisor: refused, init: refused });
    expect((await runIn(ours, ["echo", "still here"])).stdout).toBe("still here\n");
  });

  test("not under ours: `kill -9 -1` ends what the agent started, and nothing else", async () => {
    const neighbour = await ours.exec(["sleep", "600"]);
    const killer = await ours.exec(["sh", "-c", "kill -9 -1"]);
    expect(await killer.exit).toMatchObject({ code: 0 });
    expect(await neighbour.exit).toMatchObject({ signal: "SIGKILL" });
    expect((await runIn(ours, ["echo", "still here"])).stdout).toBe("still here\n");
  });
});
