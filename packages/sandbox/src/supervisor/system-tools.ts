import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders that only root can write. What the supervisor runs itself is never looked for anywhere else. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The absolute path of a tool. A name alone would be looked for in a command's PATH, where the agent can put things. */
export function systemTool(name: string): string {
  const folders = systemPath.split(delimiter);
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  return found ?? join("/usr/bin", name);
}
