import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import { addUser, findUser, type UserIds } from "./passwd-files.ts";

/** Its own, and nobody else's: what runs as `nobody` could read the data. */
const systemUser = "opentiger-pg";

const usersFolder = "/etc";

/** It asks no server anything; a minute is a hang. */
const useraddTimeoutMs = 60_000;

/**
 * The system user as whom PostgreSQL runs when openTiger is root. Made once: by `useradd`, which knows the system's
 * locks and ranges, and where there is none by a line in /etc/passwd and /etc/group. The caller sees to it that no
 * other process does the same.
 */
export async function ensureSystemUser(say: (sentence: string) => void): Promise<UserIds> {
  const found = findUser(usersFolder, systemUser);
  if (found) return checked(found);
  try {
    const made = (await byTool()) ?? addUser(usersFolder, systemUser);
    if (!made) throw new Error("no number below 1000 is free");
    say(
      `Made the system user ${systemUser} (uid ${made.uid}), as whom PostgreSQL runs: it refuses to be root.`,
    );
    return checked(made);
  } catch (cause) {
    if (cause instanceof OrchestratorError) throw cause;
    throw new OrchestratorError(
      "database_unavailable",
      `PostgreSQL refuses to run as root, and the system user ${systemUser} cannot be made: ${reason(cause)}`,
      {
        remedy: `make it yourself (useradd --system ${systemUser}), run openTiger as another user than root, or set OPENTIGER_DATABASE_URL`,
        cause,
      },
    );
  }
}

/** undefined where the tool is missing. */
async function byTool(): Promise<UserIds | undefined> {
  const settings = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  const about = ["--shell", "/usr/sbin/nologin", "--comment", "openTiger's PostgreSQL"];
  const env = { PATH: "/usr/sbin:/sbin:/usr/bin:/bin", LC_ALL: "C" };
  try {
    const options = { env, cwd: "/", timeout: useraddTimeoutMs };
    await promisify(execFile)("useradd", [...settings, ...about, systemUser], options);
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
  return findUser(usersFolder, systemUser);
}

function checked(user: UserIds): UserIds {
  if (Number.isInteger(user.uid) && Number.isInteger(user.gid) && user.uid > 0 && user.gid > 0) return user;
  throw new OrchestratorError(
    "database_unavailable",
    `the user ${systemUser} in ${usersFolder}/passwd has the rights of root`,
    {
      remedy: `give ${systemUser} a uid and a gid of its own, or set OPENTIGER_DATABASE_URL`,
    },
  );
}

function reason(cause: unknown): string {
  if (cause instanceof Error && "stderr" in cause && typeof cause.stderr === "string") {
    return cause.stderr.trim() || cause.message;
  }
  return cause instanceof Error ? cause.message : String(cause);
}
