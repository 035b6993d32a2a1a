import type { Sandbox } from "@opentiger/sandbox";
import type { Project } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { commandEnvironment } from "../verifying/command-environment.ts";
import { execId } from "../verifying/exec-id.ts";
import { plainText } from "../verifying/plain-text.ts";
import { type CommandOutcome, runCommand } from "../verifying/run-command.ts";
import { tidyClone } from "./tidy-clone.ts";

export interface SetupOptions {
  /** Of all commands together. */
  timeoutMs: number;
  /** Execs are called by it, so that whoever takes over goes on with the one that runs. */
  execId: string;
  signal: AbortSignal;
  say: (line: string) => void;
  redact?: (text: string) => string;
}

export interface SetupDone {
  /** What the user should know of it. */
  notes: string[];
}

/** What is shown of a command that failed. */
const shownLines = 20;
const shownLength = 3_000;

/**
 * Runs the project's set-up in the sandbox's clone, and leaves it as a clone of the commit again, but for what git does
 * not see: tracked files that it changed are put back, and what it left that is neither tracked nor ignored is never
 * committed. Throws `setup_failed` with the command and the end of what it printed.
 */
export async function setupIn(
  sandbox: Sandbox,
  project: Pick<Project, "env" | "verify"> & { setup: readonly string[] },
  { timeoutMs, signal, say, execId: id, redact = (text) => text }: SetupOptions,
): Promise<SetupDone> {
  const cwd = sandbox.workspaces[0]?.path ?? "/";
  const end = performance.now() + timeoutMs;
  for (const [index, command] of project.setup.entries()) {
    say(`set-up: ${command}`);
    const outcome = await runCommand(sandbox, {
      command: ["sh", "-c", command],
      cwd,
      env: commandEnvironment(sandbox, project.env),
      timeoutMs: Math.max(1, Math.round(end - performance.now())),
      id: execId(id, index),
      stdoutBytes: 0,
      signal,
    });
    if (outcome.exit.code !== 0) throw failure(command, outcome, redact);
  }
  const reports = project.verify.flatMap(({ reporter }) => reporter?.path ?? []);
  const notes = await tidyClone(sandbox, { cwd, reports, signal });
  for (const note of notes) say(note);
  return { notes };
}

/** How it is said that a set-up was not let go on. */
export const timeIsUp = "its time was up";

function failure(
  command: string,
  { exit, exitCode, tail }: CommandOutcome,
  redact: (text: string) => string,
): OrchestratorError {
  const how = {
    timeout: timeIsUp,
    memory: "it used up its memory",
    killed: "it was killed",
    exited: "",
  };
  const lines = plainText(redact(tail.toString("utf8")))
    .trimEnd()
    .split("\n")
    .slice(-shownLines);
  const why = how[exit.reason] || `it ended with status ${exitCode}`;
  return new OrchestratorError(
    "setup_failed",
    `the set-up command \`${command}\` failed, ${why}: ${plainText(lines.join("\n").slice(-shownLength))}`,
    { remedy: remedyOf(exitCode, exit.reason) },
  );
}

function remedyOf(exitCode: number, reason: string): string {
  if (exitCode === 127) {
    return "name an image that has this program under `image` in opentiger.json, or install it in `setup`";
  }
  if (reason === "timeout") return "give it more time with OPENTIGER_SETUP_TIMEOUT";
  if (reason === "memory") return "give it more under `limits.memory` in opentiger.json";
  return "correct `setup` in opentiger.json, or what it may reach under `network.setup`, and commit that";
}
