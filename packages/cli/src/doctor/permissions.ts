import { chmodSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { isShared } from "@opentiger/sandbox";
import { vaultKeyFile } from "@opentiger/secrets";
import { type Check, type Finding, fail, ok } from "./check.ts";

/** What others must not read: everything is in the state folder, and the vault's key is beside none of it. */
export const permissionsCheck: Check = {
  name: "permissions",
  look({ env, folder }) {
    const places = [folder, join(folder, "secrets"), join(folder, "postgres", "password"), vaultKeyFile(env)];
    const findings = places.flatMap(judge);
    if (findings.length > 0) return findings;
    const there = statSync(folder, { throwIfNoEntry: false }) !== undefined;
    return [ok(there ? `${folder} is yours alone` : `${folder} will be made when it is needed`)];
  },
};

function judge(path: string): Finding[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  const me = process.getuid?.() ?? found.uid;
  if (found.uid !== me && me !== 0)
    return [
      fail(
        `${path} belongs to another user (uid ${found.uid})`,
        `sudo chown -R $USER ${path}, or set OPENTIGER_HOME to a folder of yours`,
      ),
    ];
  if ((found.mode & 0o077) === 0) return [];
  if (found.isDirectory() && isShared(path, found))
    return [fail(`${path} is shared with others`, "set OPENTIGER_HOME to a folder of its own")];
  const mode = closed(found);
  const close = async () => {
    chmodSync(path, mode);
    return `closed ${path} to everybody else`;
  };
  return [fail(`others can read ${path}`, `chmod ${mode.toString(8)} ${path}`, close)];
}

function closed(found: Stats): number {
  return found.isDirectory() ? 0o700 : 0o600;
}
