import { readdirSync, readFileSync } from "node:fs";

export interface OwnProcess {
  pid: number;
  command: string;
  environment: string;
}

/** The processes that have a text in their environment. Who has ended is none of them. */
export function processesOf(text: string): OwnProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = read(pid, "environ");
      if (!environment.includes(text)) return [];
      const command = read(pid, "cmdline").replaceAll("\0", " ").trim();
      return command === "" ? [] : [{ pid: Number(pid), command, environment }];
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
