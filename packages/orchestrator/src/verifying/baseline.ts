import { createHash } from "node:crypto";
import { collect, type Sandbox } from "@opentiger/sandbox";
import type { CheckRound, ExecutionEnvironment, Project } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { phaseNetwork } from "../project/network.ts";
import { findBaseline, keepBaseline } from "../state/baselines.ts";
import type { LoopRow } from "../state/loops.ts";
import { isTimedOut } from "./compare.ts";
import { execId } from "./exec-id.ts";
import { runChecks } from "./run-checks.ts";

export interface BaselineRequest {
  loop: Pick<LoopRow, "settings">;
  repository: Pick<LoopRepository, "path">;
  project: Project;
  commit: string;
  /** Where it is run if it is not known yet: at this commit, set up, touched by no agent, and with what checks may reach. */
  sandbox: Sandbox;
  environment: ExecutionEnvironment;
  signal: AbortSignal;
  /** Of the prepared image, on which the outcome depends too. */
  key: string;
  redact: (text: string) => string;
  onOutput?: (data: Buffer) => void;
}

/**
 * How the project's checks stand at a commit, before anything was changed. Found out once for each commit and set of
 * checks; whoever takes over goes on with the check that runs.
 */
export async function baselineOf(place: Place, request: BaselineRequest): Promise<CheckRound> {
  const { project, commit, sandbox, redact, signal, onOutput } = request;
  const key = baselineKey(place, request);
  const known = await knownBaseline(place, request);
  if (known) return known;
  const cwd = sandbox.workspaces[0]?.path ?? "/";
  await refuseOtherCommit(sandbox, cwd, commit);
  const results = await runChecks(sandbox, {
    commands: project.verify,
    cwd,
    env: project.env,
    timeoutMs: place.config.get("OPENTIGER_VERIFY_TIMEOUT"),
    id: execId("baseline", commit.slice(0, 12), key.slice(0, 12)),
    redact,
    signal,
    ...(onOutput ? { onOutput: (_, data) => onOutput(data) } : {}),
  });
  return keepWhole(place, key, { tree: "base", commit, results });
}

export type BaselineQuestion = Pick<
  BaselineRequest,
  "loop" | "repository" | "project" | "commit" | "environment" | "key"
>;

type KeptIn = Pick<Place, "database" | "config">;

/** The same, where it was found out before. */
export async function knownBaseline(place: KeptIn, asked: BaselineQuestion): Promise<CheckRound | undefined> {
  return findBaseline(place.database, asked.commit, baselineKey(place, asked));
}

/** Keeps what the judge found out of a commit that comes to the branch, so that nobody has to find it out again. */
export async function rememberBaseline(
  place: KeptIn,
  asked: BaselineQuestion,
  results: CheckRound["results"],
): Promise<void> {
  await keepWhole(place, baselineKey(place, asked), { tree: "base", commit: asked.commit, results });
}

/** A check whose time was up says how busy the machine was, and not how the commit stands: that is to be found out again. */
async function keepWhole({ database }: KeptIn, key: string, round: CheckRound): Promise<CheckRound> {
  return round.results.some(isTimedOut) ? round : keepBaseline(database, key, round);
}

/** All that the outcome depends on besides the commit. */
function baselineKey(
  place: KeptIn,
  { loop, repository, project, environment, key }: BaselineQuestion,
): string {
  const { verify, env, image, setup } = project;
  const network = phaseNetwork(place, loop, project, "verify");
  const facts = [3, repository.path, environment, key, verify, env, network, image, setup];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
}

/** What is kept for a commit must be about that commit. */
async function refuseOtherCommit(sandbox: Sandbox, cwd: string, commit: string): Promise<void> {
  const { exit, stdout } = await collect(await sandbox.exec(["git", "rev-parse", "HEAD"], { cwd }));
  const head = stdout.toString("utf8").trim();
  if (exit.code === 0 && head === commit) return;
  throw new OrchestratorError(
    "internal",
    `${sandbox.name} is at ${head || "no commit"} and not at ${commit}`,
  );
}
