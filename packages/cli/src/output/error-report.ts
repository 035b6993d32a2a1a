import { CodedError, errno } from "@opentiger/schema";
import { CommanderError } from "commander";
import { UsageError } from "../errors.ts";
import { coloursFor } from "./colours.ts";
import { printableLines } from "./table.ts";

export interface ErrorAudience {
  stderr: { isTTY?: boolean | undefined; write(text: string): unknown };
  env: NodeJS.ProcessEnv;
  /** What the line begins with, as every command of the shell does. */
  program: string;
  format: "text" | "json";
}

/** Prints what went wrong and the command that mends it, and returns the status to exit with. */
export function reportError(cause: unknown, audience: ErrorAudience, about: { name?: string } = {}): number {
  const error = asCodedError(cause);
  if (audience.format === "json") audience.stderr.write(`${JSON.stringify({ ...about, error })}\n`);
  else audience.stderr.write(asText(error, audience));
  if (audience.env["OPENTIGER_DEBUG"] && cause instanceof Error) audience.stderr.write(`${cause.stack}\n`);
  return error.exitCode;
}

/** Whatever was thrown, as one of the documented errors. What none of them fits is ours: `internal`. */
function asCodedError(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof UsageError) return usage(error.message, error.remedy, error);
  if (error instanceof CommanderError) return usage(error.message.replace(/^error: /, ""), undefined, error);
  const message = error instanceof Error ? error.message : String(error);
  if (errno(error) === "ENOSPC" || errno(error) === "EDQUOT") {
    return new CodedError("disk_full", `the disk is full: ${message}`, {
      remedy:
        "Free some space (docker system df shows the engine's), or set OPENTIGER_HOME to a larger disk.",
      cause: error,
    });
  }
  return new CodedError("internal", message, {
    remedy: "This is a fault of openTiger. OPENTIGER_DEBUG=1 shows where it happened.",
    cause: error,
  });
}

function usage(message: string, remedy: string | undefined, cause: Error): CodedError {
  return new CodedError("usage", message, { remedy: remedy ?? "Add --help to see how it is used.", cause });
}

function asText(error: CodedError, { program, stderr, env }: ErrorAudience): string {
  const colours = coloursFor(stderr, env);
  const remedy = error.remedy
    ? `  ${colours.cyan("→")} ${printableLines(error.remedy).join("\n    ")}\n`
    : "";
  return `${colours.red(`${program}:`)} ${printableLines(error.message).join("\n")}\n${remedy}`;
}
