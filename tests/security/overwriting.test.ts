import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { attack } from "../setup/attack.ts";
import { placeOf, runIn } from "../setup/place.ts";
import { type PlainContainer, plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { isRoot, rootWorkspace, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const noCapability = "CapEff:\t0000000000000000";

interface Report {
  setpriv: string;
  node: string;
  libraries: string[];
  supervisor?: string;
  tools?: string;
}

let instance: Instance;
beforeAll(async () => {
  instance = await newInstance();
});

describe("attack 39 setpriv, node, libc and the supervisor's file are overwritten", () => {
  test("in a plain container of root, whose next command from outside then runs the spy with root's rights", async () => {
    const workspace = rootWorkspace();
    const plain: PlainContainer = await plainContainer(workspace, { user: "0:0" });
    const notes = join(workspace, "notes");
    const report = await attack<Report>(plain, "overwrite.py", notes);
    expect(report).toMatchObject({ setpriv: "replaced", node: "replaced" });
    expect(new Set(report.libraries)).toEqual(new Set(["writable"]));
    await plain.run(["setpriv", "--reuid=1000", "true"]);
    expect(readFileSync(notes, "utf8")).not.toContain(noCapability);
  });

  test("not by an agent with a uid of its own", async () => {
    const workspace = temporaryWorkspace();
    const sandbox = await newSandbox(instance, workspace);
    const report = await attack<Report>(placeOf(sandbox), "overwrite.py", join(workspace, "notes"));
    expect(report).toMatchObject({ setpriv: "Permission denied", node: "Permission denied" });
    expect(new Set(report.libraries)).toEqual(new Set(["Operation not permitted"]));
    expect(report.supervisor).toMatch(/Operation not permitted|Read-only file system/);
  });

  test.skipIf(!isRoot)(
    "by an agent that is root, and the supervisor runs none of it, also after a new start",
    async () => {
      const workspace = rootWorkspace();
      const notes = join(workspace, "notes");
      const sandbox = await newSandbox(instance, workspace);
      const report = await attack<Report>(placeOf(sandbox), "overwrite.py", notes);
      expect(report).toMatchObject({ setpriv: "replaced", node: "replaced" });
      expect(report.supervisor).toBe("Read-only file system");
      expect(report.tools).toBe("Read-only file system");
      await expectHonest(sandbox);

      await instance.backend.stop(sandbox.name);
      await expectHonest(await instance.backend.open(sandbox.name));
      expect(existsSync(notes)).toBe(false);
    },
  );

  test.skipIf(!isRoot)(
    "by an agent that is root, which breaks its own libc and not the supervisor",
    async () => {
      const sandbox = await newSandbox(instance, rootWorkspace());
      const libc = (
        await runIn(sandbox, ["sh", "-c", "ldd /bin/sh | sed -n 's/.*=> \\(.*libc.so[^ ]*\\).*/\\1/p'"])
      ).stdout.trim();
      await runIn(sandbox, ["sh", "-c", `: > $(readlink -f ${libc}); exit 0`]);
      expect((await runIn(sandbox, ["sh", "-c", "exit 0"])).code).not.toBe(0);
      expect((await sandbox.stats()).processes.length).toBeGreaterThan(1);
      await instance.backend.stop(sandbox.name);
      await expect(instance.backend.open(sandbox.name)).rejects.toMatchObject({ code: "sandbox_broken" });
    },
  );
});

async function expectHonest(sandbox: Sandbox): Promise<void> {
  expect((await runIn(sandbox, ["sh", "-c", "exit 7"])).code).toBe(7);
  const rights = await runIn(sandbox, ["grep", "-E", "CapEff|CapPrm|CapBnd", "/proc/self/status"]);
  expect(
    new Set(
      rights.stdout
        .trim()
        .split("\n")
        .map((line) => line.split("\t")[1]),
    ),
  ).toEqual(new Set(["0000000000000000"]));
}
