import { CodedError } from "@opentiger/schema";

/** The one error of this package. */
export class VaultError extends CodedError {
  override readonly name = "VaultError";
}
