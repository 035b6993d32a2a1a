import { CodedError } from "@opentiger/schema";

/** The one error of this package. */
export class ServerError extends CodedError {
  override readonly name = "ServerError";
}
