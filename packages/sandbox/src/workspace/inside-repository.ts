import type { ExecExit } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import type { InsideOptions } from "../files/inside-command.ts";
import { lastLines } from "../files/untrusted-text.ts";
import { fetchStatus } from "./fetch-script.ts";

/** There is nothing at that place that git could be asked about. */
export class NoRepositoryInside extends SandboxError {
  constructor(path: string) {
    super("git_failed", `there is no repository at ${path} in the sandbox any more`, {
      remedy: "look at the folder inside; files can still be copied out with `cp`",
    });
  }
}

/** What it means when one of the scripts of fetch-script.ts fails at this place. */
export function repositoryFailure(path: string): InsideOptions["failure"] {
  return (exit: ExecExit, stderr: string) => {
    if (exit.code === fetchStatus.noRepository) return new NoRepositoryInside(path);
    return new SandboxError("git_failed", `git failed in the sandbox, at ${path}: ${lastLines(stderr)}`, {
      remedy: "look at it inside with `git status`; files can still be copied out with `cp`",
    });
  };
}
