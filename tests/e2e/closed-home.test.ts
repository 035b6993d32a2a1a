import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { agentUid, isRoot } from "../setup/temporary-workspace.ts";
import { makeRepository, userGit } from "../setup/user-git.ts";

let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

/** Where root's projects are: below a folder that in every image is root's alone. */
function homeFolder(): string {
  const folder = mkdtempSync(join(homedir(), ".opentiger-test-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.skipIf(!isRoot)("a project in the home folder of root", () => {
  const homeMode = isRoot ? statSync(homedir()).mode : 0;

  test("is worked on in a clone by an agent that is not root, and may pass through there but not look around", async () => {
    const repository = makeRepository(join(homeFolder(), "a", "project"));
    const sandbox = await newSandbox(instance, repository, { workspaceKind: "clone" });
    const { code, stdout } = await runIn(sandbox, [
      "sh",
      "-c",
      "id -u; pwd; git log -1 --format=%H; echo x > new",
    ]);
    expect({ code, lines: stdout.trim().split("\n") }).toEqual({
      code: 0,
      lines: ["1000", repository, userGit(repository, "rev-parse", "HEAD")],
    });
    expect(await runIn(sandbox, ["ls", homedir()])).not.toMatchObject({ code: 0 });
    expect(await runIn(sandbox, ["touch", join(homedir(), "new")])).not.toMatchObject({ code: 0 });
  });

  test("is reached where it is somebody else's and mounted, and the folders of this machine stay as closed as they are", async () => {
    const outer = homeFolder();
    const workspace = join(outer, "closed", "project");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "file"), "from outside\n");
    chownSync(workspace, agentUid, agentUid);
    const sandbox = await newSandbox(instance, workspace);
    expect(await runIn(sandbox, ["sh", "-c", `cat ${workspace}/file && echo inside > made`])).toMatchObject({
      code: 0,
      stdout: "from outside\n",
    });
    expect(statSync(join(workspace, "made")).uid).toBe(agentUid);
    expect(statSync(homedir()).mode).toBe(homeMode);
    expect(statSync(outer).mode & 0o777).toBe(0o700);
  });
});
