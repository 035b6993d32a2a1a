import { type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { ErrorCode } from "@opentiger/schema";
import { z } from "zod";
import { ensurePrepared, type Prepared } from "../project/prepared.ts";
import { removeSeen } from "../project/remove-sandbox.ts";
import { makeSandbox } from "../project/sandbox.ts";
import { sandboxName } from "../project/sandbox-name.ts";
import { LeaseLost, leftToOthers } from "../stage/lease-lost.ts";
import { isHeld } from "../state/lease.ts";
import type { Judging } from "./judging.ts";
import { onBranch } from "./set-up-failure.ts";

export interface OwnSandbox {
  /** What it is for: the last part of its name. */
  part: "base" | "checks" | "restored" | "held" | "own" | "model";
  commit: string;
  phase: "run" | "verify";
  /** Execs of this use begin with it. */
  execs: string;
}

/** One that broke by chance does not break again; one that a candidate breaks always does. */
const tries = 2;

/** It is gone, or what ran in it is. */
const lost: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "session_lost",
  "sandbox_broken",
  "exec_not_found",
  "not_found",
]);

/**
 * Uses a sandbox that is made for this and removed behind it. Nothing of a candidate has run in it before: one in which
 * an earlier holder of the lease began is gone on with only while what it began is still there. One that breaks is made
 * anew, a bounded number of times.
 */
export async function withOwnSandbox<T>(
  judging: Judging,
  asked: OwnSandbox,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(judging, asked, use);
    } catch (error) {
      judging.signal.throwIfAborted();
      if (attempt >= tries || !(error instanceof SandboxError) || !lost.has(error.code)) throw error;
      judging.say(`${nameOf(judging, asked)} was lost and is made anew: ${error.message}`);
    }
  }
}

/**
 * What the set-up of the branch left. A candidate's own lock files are never made into an image that others start from:
 * for them the set-up is done again in the judge's own sandbox.
 */
export async function preparedTip(judging: Judging): Promise<Prepared> {
  const { place, loop, repository, project, environment, choice, signal, say, tip: commit } = judging;
  const agent = choice.driver.template;
  return onBranch(() =>
    ensurePrepared(place, { loop, repository, project, environment, agent, signal, say, commit }),
  );
}

async function once<T>(
  judging: Judging,
  asked: OwnSandbox,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await fresh(judging, asked);
  try {
    return await use(sandbox);
  } finally {
    await sandbox.close().catch(() => {});
    if (!leftToOthers(judging.signal)) await remove(judging, sandbox);
  }
}

async function fresh(judging: Judging, asked: OwnSandbox): Promise<Sandbox> {
  const mark = `began-${asked.part}`;
  const begun = await judging.journal.known(mark, z.literal(true));
  if (!begun) {
    // Whatever has this name is left of an earlier judgement.
    await removeLeft(judging, asked);
    const sandbox = await make(judging, asked, "new");
    await judging.journal.step(mark, z.literal(true), async () => true as const);
    return sandbox;
  }
  const sandbox = await make(judging, asked, "begun");
  const known = await sandbox.execs();
  if (known.some(({ id }) => id.startsWith(asked.execs))) return sandbox;
  await sandbox.close().catch(() => {});
  await remove(judging, sandbox);
  return make(judging, asked, "new");
}

async function make(judging: Judging, asked: OwnSandbox, which: "new" | "begun"): Promise<Sandbox> {
  const { place, loop, repository, project, environment, choice, signal, redact, say } = judging;
  const { commit, phase } = asked;
  const about = { loop, repository, project, environment, signal, redact, say, commit, phase };
  return makeSandbox(place, {
    ...about,
    agent: choice.driver.template,
    name: nameOf(judging, asked),
    prepared: await preparedTip(judging),
    isBegun: which === "begun",
  });
}

/** Whoever slept over the looking has no stage, and no say, any more. */
async function removeLeft(judging: Judging, asked: OwnSandbox): Promise<void> {
  const { place, environment, lease } = judging;
  const name = nameOf(judging, asked);
  const left = (await (await place.backend(environment)).list()).find(
    (each) => each.own && each.name === name,
  );
  if (!left) return;
  if (!(await isHeld(place.database, lease))) throw new LeaseLost(lease.stage);
  await remove(judging, left);
}

/** This one, and none that the next holder of the stage has made by that name. */
async function remove({ place, environment }: Judging, seen: Pick<Sandbox, "name" | "id">): Promise<void> {
  await removeSeen(await place.backend(environment), seen);
}

/** The one in which the model looks at the candidate has the name that contract B6 gives a judge's. */
function nameOf({ loop, task, choice }: Judging, { part }: Pick<OwnSandbox, "part">): string {
  const ofTask = { loop: loop.id, agent: choice.driver.template, task: task.number };
  return sandboxName({ ...ofTask, kind: "judge", part: part === "model" ? null : part });
}
