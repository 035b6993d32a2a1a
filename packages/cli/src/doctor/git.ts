import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Check, fail, ok } from "./check.ts";
import { isBefore, parseVersion } from "./versions.ts";

/** The first with `git merge-tree --write-tree`, by which branches are merged. */
const oldest = "2.38";

const timeoutMs = 10_000;

export const gitCheck: Check = {
  name: "git",
  async look({ env }) {
    const said = await promisify(execFile)("git", ["--version"], { env, timeout: timeoutMs }).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );
    if (said === undefined) return [fail("git is not there, or does not start", "install git")];
    const [own, needed] = [parseVersion(said), parseVersion(oldest)];
    if (own && needed && isBefore(own, needed))
      return [fail(`${said} is too old: loops cannot merge with it`, `install git ${oldest} or newer`)];
    return [ok(said)];
  },
};
