import { spawn } from "node:child_process";

/**
 * @typedef {object} Outcome
 * @property {number} code exit code; 127 when the program could not be started, 128 when a signal ended it
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs a program to its end and never throws: a program that cannot be started is an outcome with code 127.
 * The administrator's folders are always on PATH, because a plain login shell of Debian leaves them out.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions & {onLine?: ((line: string) => void) | undefined, input?: string}} [options]
 * @returns {Promise<Outcome>}
 */
export function run(program, args, { onLine, input, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...options,
      env: administratorEnvironment(options.env ?? process.env),
      stdio: options.stdio ?? [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const stdout = collect(child.stdout, onLine);
    const stderr = collect(child.stderr, onLine);
    const releaseSignals = forwardSignals(child);
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    child.once("error", (error) => {
      releaseSignals();
      resolve({ code: 127, stdout: "", stderr: error.message });
    });
    child.once("close", (code) => {
      releaseSignals();
      resolve({ code: code ?? 128, stdout: stdout(), stderr: stderr() });
    });
  });
}

/**
 * Like `run`, but anything except exit code 0 is an error that carries the program's own words.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export async function mustRun(program, args, options) {
  const outcome = await run(program, args, options);
  if (outcome.code === 0) return outcome;
  const words = (outcome.stderr || outcome.stdout).trim().split("\n").slice(-8).join("\n");
  throw new Error(`${program} ${args.join(" ")} ended with ${outcome.code}\n${words}`);
}

/** @param {NodeJS.ProcessEnv} env */
export function administratorEnvironment(env) {
  return { ...env, PATH: `${env.PATH ?? "/usr/bin:/bin"}:/usr/local/sbin:/usr/sbin:/sbin` };
}

/**
 * While a child runs, a signal meant for us goes to the child, so that our own clean-up comes after its end.
 *
 * @param {import("node:child_process").ChildProcess} child
 */
function forwardSignals(child) {
  /** @type {NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    interrupted = signal;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

/** @type {NodeJS.Signals | undefined} */
let interrupted;

/** The signal that arrived while a child was running, if any: whoever has cleaned up ends the process with it. */
export function interruption() {
  return interrupted;
}

/**
 * @param {import("node:stream").Readable | null} stream
 * @param {((line: string) => void) | undefined} onLine
 */
function collect(stream, onLine) {
  let text = "";
  let line = "";
  stream?.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    if (!onLine) return;
    const lines = (line + chunk).split(/\r?\n|\r/);
    line = lines.pop() ?? "";
    for (const each of lines) if (each.trim()) onLine(each);
  });
  return () => {
    if (onLine && line.trim()) onLine(line);
    return text;
  };
}
