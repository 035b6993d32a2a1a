import { type Stats, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { RefusedError } from "./refusals.ts";

/**
 * Says "not found" itself, so that the user does not read about what starts commands. `otherUid`: what the supervisor
 * may not look at, the command's uid perhaps may; that is left to the kernel.
 */
export function refuseMissing(
  command: string,
  { path, cwd, otherUid }: { path: string; cwd: string; otherUid: boolean },
): void {
  for (const candidate of candidatesFor(command, path, cwd)) {
    const found = look(candidate);
    if (found === "hidden" ? otherUid : found?.isFile()) return;
  }
  throw new RefusedError("command_not_found", `${JSON.stringify(command)} was not found in the sandbox`);
}

/** Where the command may be, in the order in which it would be looked for. */
function candidatesFor(command: string, path: string, cwd: string): string[] {
  if (command.includes("/")) return [isAbsolute(command) ? command : join(cwd, command)];
  return path.split(delimiter).map((folder) => join(folder || ".", command));
}

/** Most folders of a PATH do not have it, and to throw for each costs more than to look. */
function look(path: string): Stats | "hidden" | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EACCES" ? "hidden" : undefined;
  }
}
