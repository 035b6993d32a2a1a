import { existsSync } from "node:fs";

/** Not in everybody's PATH. */
const MORE_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin"];

/**
 * Where a command is, looked for also in the administrator's folders.
 *
 * @param {string} command
 */
export function commandPath(command) {
  return [...(process.env.PATH ?? "").split(":"), ...MORE_FOLDERS]
    .map((folder) => `${folder}/${command}`)
    .find((path) => path.startsWith("/") && existsSync(path));
}
