import { type ErrorCode, errorCodes } from "@opentiger/schema";

/** The one error of this package: a stable code, a sentence, and the command that mends it. It never holds a secret. */
export class OrchestratorError extends Error {
  override readonly name = "OrchestratorError";
  readonly code: ErrorCode;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
  }

  get exitCode(): number {
    return errorCodes[this.code].exit;
  }

  toJSON(): { code: ErrorCode; message: string; remedy?: string } {
    return { code: this.code, message: this.message, ...(this.remedy ? { remedy: this.remedy } : {}) };
  }
}

/** The code of an error of Node's or of PostgreSQL's. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
