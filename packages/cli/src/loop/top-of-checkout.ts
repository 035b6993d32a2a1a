import { existsSync } from "node:fs";
import { git, openRepository, refuseWaitingFiles, SandboxError } from "@opentiger/sandbox";
import { UsageError } from "../errors.ts";

/** The repository in which this folder is; whoever stands somewhere below its top means all of it. */
export async function topOfCheckout(path: string): Promise<string> {
  if (!existsSync(path))
    throw new UsageError(`there is no ${path}`, "Name a folder of a git repository with --repo.");
  refuseWaitingFiles(path);
  const answer = await git(path, ["rev-parse", "--show-toplevel"], { allow: [128] });
  // A bare one has no top; it is where it is.
  const top = answer.split("\n")[0] || path;
  await openRepository(top).catch((error: unknown) => {
    if (!(error instanceof SandboxError)) throw error;
    const remedy = "Run `git init` and commit there, or name a repository with --repo.";
    throw new SandboxError(error.code, error.message, { remedy, cause: error });
  });
  return top;
}
