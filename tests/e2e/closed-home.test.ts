import { mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { isRoot } from "../setup/temporary-workspace.ts";
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
});
