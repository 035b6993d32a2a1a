import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface OwnProcess {
  pid: number;
  /** Who started it, or who has it since that one is gone. */
  parent: number;
  command: string;
  environment: string;
  /** Where it is. */
  folder: string;
}

/** The processes that have a text in their environment. Who has ended is none of them. */
export function processesOf(text: string): OwnProcess[] {
  return processes((words) => words.environment.includes(text));
}

/**
 * Also those that have it among their words, as supervisors of the host do, whose environment is empty, or in the name of
 * the folder they are in, as those of PostgreSQL, who write over both.
 */
export function processesNaming(text: string): OwnProcess[] {
  return processes((each) =>
    [each.environment, each.command, each.folder].some((word) => word.includes(text)),
  );
}

function processes(isMeant: (each: Omit<OwnProcess, "pid" | "parent">) => boolean): OwnProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = read(pid, "environ");
      const command = read(pid, "cmdline").replaceAll("\0", " ").trim();
      const found = { environment, command, folder: folderOf(pid) };
      if (command === "" || !isMeant(found)) return [];
      return [{ pid: Number(pid), parent: parentOf(read(pid, "stat")), ...found }];
    });
}

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** The second field is a name, in brackets, and may hold anything. */
function parentOf(stat: string): number {
  return Number(stat.split(") ").at(-1)?.split(" ")[1] ?? 0);
}

/** Empty for who went away meanwhile, and for zombies. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
