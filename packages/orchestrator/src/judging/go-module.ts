import { posix } from "node:path";

/** Directives that a task may change as it needs to: what the module depends on, and the Go that this asks for. */
const free = new Set(["require", "go", "toolchain"]);

/**
 * What of a go.mod was changed that decides which packages are tested, and with what: `replace` and `ignore`, say, but not
 * `require`. One that is gone, and one that takes its folder out of a module that was there before, is all of it.
 */
export function changedDirectives(
  before: Buffer | undefined,
  after: Buffer | undefined,
  { isNested }: { isNested: boolean },
): string[] {
  if (before === undefined) return isNested ? ["a module within a module"] : [];
  if (after === undefined) return ["the file"];
  const [old, now] = [directivesOf(before), directivesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
}

/** Where the go.mod of a module would be that a file belongs to, from the nearest on; its own folder is not asked. */
export function modulesAbove(path: string): string[] {
  const found: string[] = [];
  for (let folder = posix.dirname(path); folder !== "."; ) {
    folder = posix.dirname(folder);
    found.push(posix.join(folder, "go.mod"));
  }
  return found;
}

/** The go.mod of the module whose packages come from this file's folder, where it has one: Go looks nowhere else then. */
export function vendoringModule(path: string): string | undefined {
  const at = `/${path}`.indexOf("/vendor/");
  return at < 0 ? undefined : posix.join(path.slice(0, at), "go.mod");
}

/** What each directive says, in its order, whether in a block or not. Comments say nothing. */
function directivesOf(file: Buffer): Map<string, string> {
  const said = new Map<string, string>();
  let block: string | undefined;
  for (const line of file.toString("utf8").split("\n")) {
    const [code = ""] = line.split("//", 1);
    const [first, ...rest] = code.split(/\s/).filter((word) => word !== "");
    if (first === undefined) continue;
    if (block !== undefined && first === ")") block = undefined;
    else if (block !== undefined) add(said, block, [first, ...rest]);
    else if (rest.length === 1 && rest[0] === "(") block = first;
    else if (first.endsWith("(") && rest.length === 0) block = first.slice(0, -1);
    else add(said, first, rest);
  }
  return said;
}

function add(said: Map<string, string>, name: string, words: readonly string[]): void {
  if (!free.has(name)) said.set(name, `${said.get(name) ?? ""}${words.join(" ")}\n`);
}
