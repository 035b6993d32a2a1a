import { OrchestratorError } from "../errors.ts";

const shape = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What is handed to git as the name of an object is one, and so never an option or a revision. */
export function checkedOid(oid: string): string {
  if (shape.test(oid)) return oid;
  throw new OrchestratorError(
    "internal",
    `${JSON.stringify(oid.slice(0, 100))} is not the id of a git object`,
  );
}

/** How git writes that there is none, in the format of this id. */
export function noneLike(oid: string): string {
  return "0".repeat(oid.length);
}
