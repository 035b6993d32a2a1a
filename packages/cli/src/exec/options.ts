import { UsageError } from "../errors.ts";
import { type ExecOption, type ExecOptionName, execOptions } from "./option-table.ts";

export interface ParsedExec {
  flags: ReadonlySet<ExecOptionName>;
  values: ReadonlyMap<ExecOptionName, readonly string[]>;
  /** Undefined when the words ended before a name came. */
  sandbox: string | undefined;
  /** Byte for byte what followed the name. */
  command: readonly string[];
}

/**
 * Reads the words after `exec`. Options end at the sandbox's name (or at `--`): nothing behind it is ever looked
 * at, so `exec box grep -e x` searches for x. Understands `-it`, `-eA=B`, `--env=A=B`, `--tty=false`.
 */
export function parseExec(words: readonly string[]): ParsedExec {
  const flags = new Set<ExecOptionName>();
  const values = new Map<ExecOptionName, string[]>();
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") {
      at += 1;
      break;
    }
    if (word === "-" || !word.startsWith("-")) break;
    if (word.startsWith("--")) takeLong(word.slice(2));
    else takeShort(word.slice(1));
  }
  return { flags, values, sandbox: words[at], command: words.slice(at + 1) };

  function takeLong(text: string): void {
    const equals = text.indexOf("=");
    const option = find("long", equals < 0 ? text : text.slice(0, equals));
    const attached = equals < 0 ? undefined : text.slice(equals + 1);
    if (option.value) return add(option, attached ?? next(option));
    setFlag(option, attached);
  }

  function takeShort(text: string): void {
    const option = find("short", text.charAt(0));
    const rest = text.slice(1);
    if (option.value) return add(option, rest === "" ? next(option) : rest.replace(/^=/, ""));
    if (rest.startsWith("=")) return setFlag(option, rest.slice(1));
    setFlag(option, undefined);
    if (rest) takeShort(rest);
  }

  function next(option: ExecOption): string {
    at += 1;
    const value = words[at];
    if (value !== undefined) return value;
    throw new UsageError(`--${option.long} needs a value: ${option.value}`);
  }

  function add(option: NamedOption, value: string): void {
    values.set(option.long, [...(values.get(option.long) ?? []), value]);
  }
  function setFlag(option: NamedOption, value: string | undefined): void {
    if (value === undefined || value === "true" || value === "1") flags.add(option.long);
    else if (value === "false" || value === "0") flags.delete(option.long);
    else throw new UsageError(`--${option.long} is true or false, not "${value}"`);
  }
}

type NamedOption = ExecOption & { long: ExecOptionName };

function find(key: "long" | "short", name: string): NamedOption {
  const option = execOptions.find((each: ExecOption) => each[key] === name);
  if (option && name) return option;
  throw new UsageError(
    `exec has no option ${key === "long" ? "--" : "-"}${name}`,
    "See: docker sandbox exec --help",
  );
}
