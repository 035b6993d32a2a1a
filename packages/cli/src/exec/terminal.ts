import type { Terminal } from "@opentiger/sandbox";
import { exitCode } from "@opentiger/sandbox/exec-client";
import { UsageError } from "../errors.ts";
import { DetachKeys } from "./detach-keys.ts";
import { onInterruption } from "./interruption.ts";
import type { ParsedExec } from "./options.ts";
import { rawTerminal } from "./raw-terminal.ts";

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** What a terminal is taken for that does not say its size. */
const usualSize: TerminalSize = { columns: 80, rows: 24 };

export function ownSize(): TerminalSize {
  const { columns, rows } = process.stdout;
  return columns && rows ? { columns, rows } : usualSize;
}

export function refuseWithoutTerminal(stdin: { isTTY?: boolean | undefined }): void {
  if (stdin.isTTY) return;
  throw new UsageError("-t needs a terminal, and stdin is none", "Leave out -t; -i alone hands on stdin.");
}

/** What cannot be had together with a terminal, and why. None of it is left out silently. */
const notOnTerminal = [
  { name: "detach", why: "a command that nobody waits for has no terminal", remedy: "Leave out -t or -d." },
  {
    name: "json",
    why: "what a terminal shows is not JSON",
    remedy: "Leave out -t; -i hands on stdin all the same.",
  },
  {
    name: "timeout",
    why: "a command on a terminal has no --timeout",
    remedy: "Leave out -t, or begin the command with: timeout 15m",
  },
  {
    name: "id",
    why: "a command on a terminal has no --id, since none can attach to it",
    remedy: "Leave out -t or --id.",
  },
] as const;

export function refuseOnTerminal({ flags, values }: Pick<ParsedExec, "flags" | "values">): void {
  if (!flags.has("tty")) return;
  for (const { name, why, remedy } of notOnTerminal)
    if (flags.has(name) || values.has(name)) throw new UsageError(why, remedy);
}

/**
 * Connects our terminal with the command's, key by key, until it ends or the user types the detach keys. Ours is
 * put back as it was, whatever happens.
 */
export async function relayTerminal(
  terminal: Terminal,
  options: { stdin: boolean; keys: string | undefined; env: NodeJS.ProcessEnv },
): Promise<number> {
  const keys = new DetachKeys(options.keys);
  let leave: (status: number) => void = () => {};
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const resize = () => void terminal.resize(ownSize().columns, ownSize().rows).catch(() => {});
  const type = (data: Buffer) => {
    const { pass, detach } = keys.take(data);
    if (pass.length > 0) terminal.stream.write(pass);
    if (detach) leave(0);
  };
  terminal.stream.on("error", () => {});
  terminal.stream.pipe(process.stdout, { end: false });
  process.stdout.on("resize", resize);
  const stopListening = onInterruption(
    {
      // Ctrl-C is a key like any other here; a signal came from elsewhere.
      signalled: (signal) => void terminal.kill(signal).catch(() => {}),
      abandoned: () => leave(129),
    },
    options.env,
  );
  const restore = options.stdin ? rawTerminal() : () => {};
  if (options.stdin) process.stdin.on("data", type);
  try {
    return await Promise.race([terminal.exit.then(exitCode), left]);
  } finally {
    process.stdout.off("resize", resize);
    process.stdin.off("data", type).pause();
    restore();
    stopListening();
    terminal.stream.unpipe(process.stdout);
  }
}
