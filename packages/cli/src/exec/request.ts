import { readFileSync } from "node:fs";
import type { ExecSpec } from "@opentiger/schema";
import { UsageError } from "../errors.ts";
import { parseDuration } from "./duration.ts";
import { commandEnvironment } from "./environment.ts";
import type { ParsedExec } from "./options.ts";

export interface ExecRequest {
  sandbox: string;
  spec: ExecSpec;
}

/** What is asked of the supervisor. Reads the files and variables that the options name. */
export function execRequest(parsed: ParsedExec, caller: NodeJS.ProcessEnv): ExecRequest {
  const { flags, sandbox, command } = parsed;
  if (!sandbox) throw new UsageError("exec needs a sandbox and a command", usage);
  if (command.length === 0) throw new UsageError(`exec needs a command to run in ${sandbox}`, usage);
  refuseBrokenBytes([sandbox, ...command, ...(parsed.values.get("env") ?? [])]);
  const timeout = last(parsed, "timeout");
  const user = last(parsed, "user");
  const cwd = last(parsed, "workdir");
  return {
    sandbox,
    spec: {
      id: chosenId(last(parsed, "id")),
      command: [...command],
      env: commandEnvironment({
        words: parsed.values.get("env") ?? [],
        files: (parsed.values.get("env-file") ?? []).map((path) => ({ path, text: readEnvFile(path) })),
        caller,
      }),
      stdin: flags.has("interactive"),
      detach: flags.has("detach"),
      ...(timeout === undefined ? {} : { timeoutMs: parseDuration(timeout) }),
      ...(user === undefined ? {} : { user: checkedUser(user) }),
      ...(cwd === undefined ? {} : { cwd }),
    },
  };
}

/** The last one given wins, as everywhere in docker. */
export function last(
  parsed: ParsedExec,
  option: Parameters<ParsedExec["values"]["get"]>[0],
): string | undefined {
  return parsed.values.get(option)?.at(-1);
}

const usage = "docker sandbox exec [OPTIONS] SANDBOX COMMAND [ARG...]";

/** Node reads its arguments as UTF-8 and replaces what is none: better refused than run with other bytes. */
function refuseBrokenBytes(words: readonly string[]): void {
  if (!words.some((word) => word.includes("\uFFFD"))) return;
  const sent = readFileSync("/proc/self/cmdline");
  if (Buffer.from(sent.toString("utf8")).equals(sent)) return;
  throw new UsageError(
    "an argument is not valid UTF-8 and would change on its way",
    "Hand such bytes in by stdin: docker sandbox exec -i SANDBOX sh -s < FILE",
  );
}

/** Unique without the price of loading a crypto module: the time, and about 80 random bits. */
function chosenId(wanted: string | undefined): string {
  if (wanted === undefined) return `x${Date.now().toString(36)}-${random()}${random()}`;
  if (/^[A-Za-z0-9_-]{8,64}$/.test(wanted)) return wanted;
  throw new UsageError(`"${wanted}" is not an id for an exec`, "Use 8 to 64 letters, digits, - or _.");
}

function random(): string {
  return Math.random().toString(36).slice(2, 10);
}

function readEnvFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? error.code : error;
    throw new UsageError(`the env file ${path} cannot be read (${why})`);
  }
}

function checkedUser(user: string): string {
  if (/^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$/.test(user)) return user;
  throw new UsageError(
    `"${user}" is not a user`,
    "Write a name or uid of the sandbox, with a group if wanted: 1000:1000",
  );
}
