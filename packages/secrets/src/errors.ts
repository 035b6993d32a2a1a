import { type ErrorCode, errorCodes } from "@opentiger/schema";

/** The one error of this package: a stable code, a sentence, and the command that mends it. It never holds a value. */
export class VaultError extends Error {
  override readonly name = "VaultError";
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

export function errno(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
