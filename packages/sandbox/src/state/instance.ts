import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { writeOnce } from "./atomic-file.ts";

/** 80 random bits: two instances never share one, and it is short enough for names and labels. */
const instancePattern = /^[0-9a-f]{20}$/;

/** The random id of this state folder, made once. Processes that ask for it at the same time get the same one. */
export function instanceId(folder: string): string {
  const path = join(folder, "instance");
  const known = read(path);
  if (known !== undefined) return known;
  writeOnce(path, `${randomBytes(10).toString("hex")}\n`);
  const made = read(path);
  if (made === undefined) throw new SandboxError("internal", `${path} vanished while it was being made`);
  return made;
}

function read(path: string): string | undefined {
  try {
    const id = readFileSync(path, "utf8").trim();
    if (instancePattern.test(id)) return id;
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
  throw new SandboxError("internal", `${path} does not hold an instance id`, {
    remedy:
      "put back the file, or run with another OPENTIGER_HOME; without it, the sandboxes made so far are not yours",
  });
}
