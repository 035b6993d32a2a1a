/** Why something that was asked of the server was not done, as the server says it. */
export class ApiFailure extends Error {
  override name = "ApiFailure";
  /** As the command line has it, or `unreachable`. */
  readonly code: string;
  readonly remedy: string | undefined;
  /** 0: there was no answer. */
  readonly status: number;

  constructor(code: string, message: string, status: number, remedy?: string) {
    super(message);
    this.code = code;
    this.status = status;
    this.remedy = remedy;
  }
}

/** Whatever was thrown, as one of ours. */
export function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure("internal", error instanceof Error ? error.message : String(error), 0);
}
