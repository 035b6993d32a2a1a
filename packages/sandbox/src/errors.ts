import { CodedError } from "@opentiger/schema";

/** The one error of this package. */
export class SandboxError extends CodedError {
  override readonly name = "SandboxError";
}
