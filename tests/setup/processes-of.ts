import { readdirSync, readFileSync } from "node:fs";

/** The processes that have a text in their environment, as their command lines. Who has ended is none of them. */
export function processesOf(text: string): { pid: number; command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      if (!read(pid, "environ").includes(text)) return [];
      const command = read(pid, "cmdline").replaceAll("\0", " ").trim();
      return command === "" ? [] : [{ pid: Number(pid), command }];
    });
}

/** Empty for who went away meanwhile, and for zombies. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
