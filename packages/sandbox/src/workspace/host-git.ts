import { type ChildProcess, spawn } from "node:child_process";
import { SandboxError } from "../errors.ts";
import { pour } from "../files/pour.ts";
import { lastLines, TextTail } from "../files/untrusted-text.ts";
import { gitEnvironment, hardening, literalPaths } from "./git-environment.ts";

export interface GitOptions {
  /** What git reads: text, an open file, or a stream. */
  input?: string | number | AsyncIterable<Buffer>;
  env?: Readonly<Record<string, string>>;
  /** Address space in KiB: what bounds git when the objects come from an agent. */
  memoryKib?: number;
  signal?: AbortSignal | undefined;
  /** What is special in a path; for the few commands that cannot take paths as they are. */
  pathspecs?: "literal" | "magic";
  /** Exit statuses that are answers, besides 0. */
  allow?: readonly number[];
}

const maxAnswerBytes = 32 * 1024 * 1024;

/**
 * Runs the host's git in a repository that belongs to the user or to us, never in a tree that an agent could
 * write. No hook, pager, monitor, prompt, transport or lock of convenience; see git-environment.ts. Yields
 * stdout as it is read, and ends normally only when git did.
 */
export async function* gitStream(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): AsyncGenerator<Buffer, void> {
  if (options.signal?.aborted) throw stopped(options.signal);
  const settings = hardening.filter((each) => options.pathspecs !== "magic" || each !== literalPaths);
  const child = start(["-C", folder, ...settings, ...args], options);
  const stderr = new TextTail();
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  const ended = outcome(child);
  const stop = (): void => void child.kill();
  options.signal?.addEventListener("abort", stop, { once: true });
  const input =
    typeof options.input === "object" && child.stdin ? pour(options.input, child.stdin, stop) : undefined;
  try {
    for await (const chunk of child.stdout ?? []) yield chunk as Buffer;
    const status = await ended;
    if (options.signal?.aborted) throw stopped(options.signal);
    const inputError = input?.sourceError();
    if (inputError) throw inputError;
    if (status !== 0 && !options.allow?.includes(status ?? -1)) throw failed(folder, args, stderr.toString());
  } finally {
    options.signal?.removeEventListener("abort", stop);
    input?.letGo();
    child.kill();
    await ended.catch(() => {});
  }
}

/** The whole answer, as text. */
export async function git(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of gitStream(folder, args, options)) {
    size += chunk.length;
    if (size > maxAnswerBytes)
      throw failed(folder, args, `the answer is longer than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** For questions that git answers with status 1 for no. */
export async function gitAnswer(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string | undefined> {
  return (await git(folder, args, { ...options, allow: [1] })).trimEnd() || undefined;
}

function start(args: readonly string[], options: GitOptions): ChildProcess {
  const env = { ...gitEnvironment(process.env), ...options.env };
  const input = typeof options.input === "number" ? options.input : "pipe";
  const limit = options.memoryKib === undefined ? [] : ["-v", String(options.memoryKib)];
  const child =
    limit.length === 0
      ? spawn("git", args, { env, stdio: [input, "pipe", "pipe"] })
      : spawn("sh", ["-c", limited, "sh", ...limit, ...args], { env, stdio: [input, "pipe", "pipe"] });
  child.stdin?.on("error", () => {}); // Its exit status says why it stopped reading.
  if (typeof options.input !== "object") child.stdin?.end(options.input ?? "");
  return child;
}

/** Where the shell knows no such limit, git runs without it: the other bounds still hold. */
const limited = 'ulimit "$1" "$2" 2>/dev/null; shift 2; exec git "$@"';

function outcome(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(error)));
    child.once("close", (status) => resolve(status));
  });
  ended.catch(() => {}); // Whoever reads the output awaits it.
  return ended;
}

function failed(folder: string, args: readonly string[], stderr: string): SandboxError {
  const said = lastLines(stderr);
  if (/not a git repository|cannot change to/.test(said)) {
    return new SandboxError("workspace_refused", `${folder} is not a git repository`, {
      remedy: "run `git init` and commit there, or use a direct workspace",
    });
  }
  const verb = args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "git";
  if (said.includes("dubious ownership")) {
    return new SandboxError("git_failed", `git refuses ${folder}, since it belongs to another user`, {
      remedy: `run as its owner, or allow it: git config --global --add safe.directory ${folder}`,
    });
  }
  if (said.includes("No space left on device")) {
    return new SandboxError("disk_full", `git ${verb} found the disk full: ${said}`, {
      remedy: "make room and try again",
    });
  }
  return new SandboxError("git_failed", `git ${verb} failed: ${said || "without a word"}`, {
    remedy: "run `git fsck` in the repository to see whether it is sound",
  });
}

function notStarted(error: Error): SandboxError {
  return new SandboxError("cli_missing", `git cannot be started: ${error.message}`, {
    remedy: "install git",
    cause: error,
  });
}

function stopped(signal: AbortSignal): SandboxError {
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
  if (!isTimeout) return new SandboxError("cancelled", "it was cancelled");
  return new SandboxError("timeout", "git took longer than it is allowed to", {
    remedy: "look at what the repository holds: a history that takes so long to read may be made to",
  });
}
