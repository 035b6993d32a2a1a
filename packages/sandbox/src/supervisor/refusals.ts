import type { ErrorCode } from "@opentiger/schema";

/** What the supervisor will not or cannot do; travels to the host as code and sentence. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export function toRefusal(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof RefusedError) return { code: error.code, message: error.message };
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}
