import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, chown, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errno } from "@opentiger/schema";
import { lockFolder } from "./lock-folder.ts";
import type { LoginStore } from "./login.ts";

/**
 * A login that a CLI of the user's keeps in a file. It is replaced as a whole, with the mode and owner it had, also
 * where the path is a link to it.
 */
export function loginFile(path: string, lockPath: string | undefined): LoginStore {
  return {
    origin: path,
    async read() {
      try {
        return { ok: true, text: await readFile(path, "utf8") };
      } catch (error) {
        if (errno(error) === "ENOENT" || errno(error) === "ENOTDIR") return { ok: true, text: undefined };
        return { ok: false, refusal: unreadable(path, error) };
      }
    },
    async obstacle() {
      try {
        const file = await realpath(path);
        await access(file, constants.W_OK);
        await access(dirname(file), constants.W_OK);
        return undefined;
      } catch {
        return `${path} cannot be written`;
      }
    },
    write: (text) => replace(path, text),
    lock: () => (lockPath === undefined ? Promise.resolve(async () => {}) : lockFolder(lockPath)),
  };
}

async function replace(path: string, text: string): Promise<void> {
  const target = await realpath(path);
  const { mode, uid, gid } = await stat(target);
  const temporary = `${target}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.chmod(mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    if (uid !== process.getuid?.()) await chown(temporary, uid, gid);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

function unreadable(path: string, error: unknown) {
  return {
    code: "login",
    message: `The login in ${path} cannot be read (${errno(error) ?? "unknown"}).`,
    remedy: "Make it readable for yourself, or log in anew.",
    cause: "unreadable",
  } as const;
}
