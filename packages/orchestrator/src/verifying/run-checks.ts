import { type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { CheckResult, VerifyCommand } from "@opentiger/schema";
import { checkResults } from "./check-results.ts";
import { checkScript, reportScript } from "./check-script.ts";
import { commandEnvironment } from "./command-environment.ts";
import { execId } from "./exec-id.ts";
import { plainText } from "./plain-text.ts";
import { maxReportBytes, type Report, readReport } from "./report.ts";
import { type CommandOutcome, runCommand } from "./run-command.ts";

export interface ChecksRequest {
  commands: readonly VerifyCommand[];
  /** The repository's top, in the sandbox. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Of each command. */
  timeoutMs: number;
  /** Execs are called by it; one that is there is attached to, so another round needs another one. */
  id: string;
  redact: (text: string) => string;
  signal: AbortSignal;
  onOutput?: (command: VerifyCommand, data: Buffer) => void;
}

/** How much of what a command printed is kept with its result. */
const outputLength = 8_000;

/** A report is a file of a bounded size; whoever makes reading it take longer plays tricks. */
const readingMs = 60_000;

/**
 * Runs all commands, one after the other, whatever comes of them: one result for each, and behind it one for each test that
 * its reporter told of. Throws only where nobody knows what came of one, never as if it had failed or passed. Aborted, it
 * leaves the command that runs to whoever calls with the same id next.
 */
export async function runChecks(sandbox: Sandbox, request: ChecksRequest): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [index, command] of request.commands.entries()) {
    for (const result of await runCheck(sandbox, request, command, execId(request.id, index))) {
      results.push(result);
    }
  }
  return results;
}

async function runCheck(
  sandbox: Sandbox,
  request: ChecksRequest,
  check: VerifyCommand,
  id: string,
): Promise<CheckResult[]> {
  const { cwd, env, timeoutMs, signal, redact, onOutput } = request;
  const path = check.reporter?.path;
  const command = path === undefined ? ["sh", "-c", check.command] : withReport(check.command, path, id);
  const outcome = await runCommand(sandbox, {
    command,
    cwd,
    env: commandEnvironment(sandbox, env),
    timeoutMs,
    id,
    stdoutBytes: check.reporter && path === undefined ? maxReportBytes : 0,
    signal,
    onOutput: onOutput && ((data) => onOutput(check, data)),
  });
  const report = await reportOf(sandbox, request, check, outcome, id);
  const { exit, exitCode, durationMs } = outcome;
  const output = plainText(redact(outcome.tail.toString("utf8")).slice(-outputLength));
  const results = checkResults({ command: check.command, exit, exitCode, output, durationMs }, report);
  return results.map((result) => redacted(result, redact));
}

function withReport(command: string, path: string, name: string): string[] {
  return ["sh", "-c", checkScript, "sh", command, path, name, String(maxReportBytes + 1)];
}

async function reportOf(
  sandbox: Sandbox,
  { cwd, signal, redact }: ChecksRequest,
  { reporter }: VerifyCommand,
  { stdout }: CommandOutcome,
  name: string,
): Promise<Report | undefined> {
  if (!reporter) return undefined;
  if (reporter.path === undefined) return readReport(reporter.format, stdout, { cwd, redact });
  const file = await keptReport(sandbox, { cwd, name, signal });
  if (file === undefined) return { readable: false, why: `${reporter.path} was not written` };
  return readReport(reporter.format, file, { cwd, redact });
}

/** Read under another id each time: it is there as often as somebody asks for it. */
async function keptReport(
  sandbox: Sandbox,
  { cwd, name, signal }: { cwd: string; name: string; signal: AbortSignal },
): Promise<Buffer | undefined> {
  const { exit, stdout } = await runCommand(sandbox, {
    command: ["sh", "-c", reportScript, "sh", name],
    cwd,
    env: {},
    timeoutMs: readingMs,
    id: execId("report", crypto.randomUUID()),
    stdoutBytes: maxReportBytes,
    signal,
  });
  if (exit.code === 0) return stdout;
  if (exit.code === 3) return undefined;
  throw new SandboxError("sandbox_broken", "the report of a check could not be read out of its sandbox", {
    remedy: "try it again; `docker sandbox ls` shows whether the sandbox still runs",
  });
}

/** As a whole and at the end: names, messages and reasons may hold whatever was printed. */
function redacted(result: CheckResult, redact: (text: string) => string): CheckResult {
  const { test, output } = result;
  return { ...result, test: test === null ? null : redact(test), output: plainText(redact(output)) };
}
