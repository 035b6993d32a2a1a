import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fetchCommits, type Sandbox, SandboxError } from "@opentiger/sandbox";
import { anySignal } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { isAncestor } from "./ancestry.ts";
import { scratchName } from "./bare-repository.ts";
import { checkedOid } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";

export interface CollectInput {
  /** The sandbox's. */
  name: string;
  /** The clone inside. */
  path: string;
  /** The commit that the agent was given. */
  base: string;
  signal?: AbortSignal | undefined;
}

/**
 * Brings what an agent committed into our repository: bounded, checked object by object, with nothing checked out. Only
 * its HEAD is of interest, which must build on the base. What is not in order is refused as `commits_refused`, and
 * nothing of it stays.
 */
export async function collectHead(
  own: OwnGit,
  sandbox: Pick<Sandbox, "exec">,
  { name, path, base, signal }: CollectInput,
): Promise<{ headOid: string }> {
  // A name that nobody else uses: neither another that collects the same, nor one that was killed while it did.
  const unique = `${name}.${randomBytes(6).toString("hex")}`;
  try {
    const { refs } = await fetchCommits(sandbox, {
      repository: own.path,
      name: unique,
      path,
      base: checkedOid(base),
      scratch: join(own.path, scratchName),
      ...oneSignal(own.signal, signal),
    });
    const headOid = refs.find((ref) => ref.name.endsWith("/HEAD"))?.oid;
    if (!headOid)
      throw refused("there is no commit in the sandbox", "commit the work on the branch that was given");
    await checkDescent(own, base, headOid);
    return { headOid };
  } catch (error) {
    throw error instanceof SandboxError && error.code === "git_failed" ? refusedBy(error) : error;
  } finally {
    await rm(join(own.path, "refs/sandboxes", unique), { recursive: true, force: true });
  }
}

function oneSignal(...signals: (AbortSignal | undefined)[]): { signal?: AbortSignal } {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? {} : { signal: anySignal(given) };
}

async function checkDescent(own: OwnGit, base: string, head: string): Promise<void> {
  if (await isAncestor(own, base, head)) return;
  throw refused(
    "the history in the sandbox does not build on the commit that the work started from",
    `do not rewrite that history: git rebase ${base}, or start again from it`,
  );
}

function refusedBy(error: SandboxError): OrchestratorError {
  return new OrchestratorError("commits_refused", error.message, {
    ...(error.remedy ? { remedy: error.remedy } : {}),
    cause: error,
  });
}

function refused(message: string, remedy: string): OrchestratorError {
  return new OrchestratorError("commits_refused", message, { remedy });
}
