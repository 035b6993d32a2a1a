import { execFile } from "node:child_process";

/** A tree that takes longer than this is not measured: it is then not known how fast it grows. */
const patienceMs = 30_000;

/**
 * What a folder takes of its file system, links not followed and other file systems left out. By du, which is quick in
 * trees that an agent has filled, and holds nobody up here. undefined where it cannot be told.
 */
export function folderBytes(folder: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: patienceMs, killSignal: "SIGKILL", encoding: "utf8" } as const;
    // It ends with 1 where it may not read a folder, and has counted all others.
    execFile("du", ["-skx", "--", folder], options, (error, stdout) => {
      const kilobytes = error?.killed ? undefined : /^\d+/.exec(stdout)?.[0];
      resolve(kilobytes === undefined ? undefined : Number(kilobytes) * 1024);
    });
  });
}
