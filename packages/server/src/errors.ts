import { type ErrorCode, errorCodes } from "@opentiger/schema";

/** The one error of this package: a stable code, a sentence, and what mends it. It never holds a secret. */
export class ServerError extends Error {
  override readonly name = "ServerError";
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
}

/** The code of an error of Node's. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
