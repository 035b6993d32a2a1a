import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, readFileSync } from "node:fs";
import { writeAtomically } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import type { PostgresPlace } from "./place.ts";

const passwordPattern = /^[0-9a-f]{64}$/;

/** The database's password, in a file that this user alone can read; made once, by whoever holds the instance's lock. */
export function ensurePassword(path: string): string {
  const known = readPassword(path);
  if (known !== undefined) return known;
  const made = randomBytes(32).toString("hex");
  writeAtomically(path, `${made}\n`);
  return made;
}

/** undefined when there is none yet. */
export function readPassword(path: string): string | undefined {
  try {
    if ((lstatSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    const password = readFileSync(path, "utf8").trim();
    if (passwordPattern.test(password)) return password;
  } catch (cause) {
    if (errno(cause) === "ENOENT") return undefined;
    throw unusable(path, `cannot be read (${errno(cause)})`, cause);
  }
  throw unusable(path, "does not hold the database's password");
}

/** The data are there and what opens them is not. */
export function passwordLost(place: Pick<PostgresPlace, "passwordFile" | "data">): OrchestratorError {
  return new OrchestratorError(
    "database_unavailable",
    `the password of the database in ${place.data} is gone`,
    {
      remedy: `put ${place.passwordFile} back as it was, or move ${place.data} away to begin anew`,
    },
  );
}

function unusable(path: string, why: string, cause?: unknown): OrchestratorError {
  return new OrchestratorError("database_unavailable", `${path} ${why}`, {
    remedy: "put the file back as it was, or set OPENTIGER_HOME to another folder to begin anew",
    cause,
  });
}
