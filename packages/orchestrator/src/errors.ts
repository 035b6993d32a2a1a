import { CodedError } from "@opentiger/schema";

/** The one error of this package. */
export class OrchestratorError extends CodedError {
  override readonly name = "OrchestratorError";
}
