import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { attack } from "../setup/attack.ts";
import { placeOf, runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { isRoot, rootWorkspace } from "../setup/temporary-workspace.ts";

/** Each of these attacks is seen to work in guard.test.ts; here the agent is uid 0, and init is too. */
describe.skipIf(!isRoot)("under ours, an agent that is root because its workspace is root's", () => {
  type Report = Record<"supervisor" | "init", Record<string, string>>;
  const denied = "Operation not permitted";
  const workspace = rootWorkspace();
  let instance: Instance;
  let ours: Sandbox;

  beforeAll(async () => {
    instance = await newInstance();
    ours = await newSandbox(instance, workspace);
  });

  test("is root and has no right of root's, and the user is told what that weakens", async () => {
    const { stdout } = await runIn(ours, [
      "sh",
      "-c",
      "id -u; grep -E 'Cap(Eff|Prm|Inh|Bnd|Amb)' /proc/self/status",
    ]);
    const [uid, ...rights] = stdout.trim().split("\n");
    expect(uid).toBe("0");
    expect(new Set(rights.map((line) => line.split("\t")[1]))).toEqual(new Set(["0000000000000000"]));
    expect(ours.weakness).toContain("no evidence");
  });

  test("attack 34 cannot open the inspector, though init passes its signal on", async () => {
    const report = await attack(placeOf(ours), "inspector.mjs");
    expect(report).toEqual({
      signals: { supervisor: "EPERM", init: "sent" },
      inspector: false,
      patched: false,
    });
    expect((await runIn(ours, ["sh", "-c", "exit 7"])).code).toBe(7);
  });

  test("attack 35 cannot reach the supervisor's sockets", async () => {
    const execution = await ours.exec(["sleep", "600"]);
    const report = await attack<Record<string, string>>(placeOf(ours), "sockets.mjs", execution.id);
    expect(report).toMatchObject({ "/run/opentiger/control.sock": "EACCES", planted: "EACCES" });
    for (const outcome of Object.values(report)) expect(outcome).toMatch(/^(?:EACCES|ENOENT|ECONNREFUSED)$/);
    expect((await ours.execs()).find(({ id }) => id === execution.id)?.exit).toBeNull();
    await execution.kill();
  });

  test("attack 36 cannot look into supervisor or init", async () => {
    const { supervisor, init } = await attack<Report>(placeOf(ours), "peek.py");
    const seen = new Set([...Object.values(supervisor), ...Object.values(init)]);
    expect([...seen]).toEqual(["Permission denied"]);
  });

  test("attack 37 cannot hold, stop or end the supervisor, itself or by way of init", async () => {
    const { supervisor, init } = await attack<Report>(placeOf(ours), "seize.py", ...namedSignals);
    expect(new Set(Object.values(supervisor))).toEqual(new Set([denied]));
    expect(init["ptrace"]).toBe(denied);
    const killer = await ours.exec(["sh", "-c", "kill -9 -1"]);
    await killer.exit;
    expect((await runIn(ours, ["echo", "still here"])).stdout).toBe("still here\n");
  });

  test("attack 37 can end its own sandbox with a signal that has no name, and then nothing counts as a success", async () => {
    const sandbox = await newSandbox(instance, workspace);
    const killer = runIn(sandbox, ["sh", "-c", "kill -40 1; sleep 600; exit 0"]);
    await expect(killer).rejects.toMatchObject({ code: "session_lost" });
    expect((await runIn(await instance.backend.open(sandbox.name), ["sh", "-c", "exit 7"])).code).toBe(7);
  });
});

/** All that an init passes on. */
const namedSignals = (
  "HUP INT QUIT USR1 USR2 PIPE ALRM TERM STKFLT CONT TSTP URG XCPU XFSZ VTALRM PROF WINCH IO PWR " +
  "STOP KILL ABRT SEGV TRAP"
).split(" ");
