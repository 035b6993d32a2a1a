/**
 * The words of a command line were not understood. Free of dependencies, so that the lean exec client can throw
 * and catch it; the full program prints it as the error code `usage`.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}
