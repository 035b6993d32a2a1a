import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { supervisorBundle } from "../../../state/supervisor-file.ts";
import type { Place } from "../place.ts";
import type { Plan } from "../plan/plan.ts";

/** Which repository has been put into a parked sandbox already, and at which path. */
export interface ParkedClone {
  path: string;
  repository: string;
}

/**
 * Two clone sandboxes with the same key differ in nothing but their name, agent and workspace, so that one parked for
 * the one is as good for the other; of those that hold a clone already, the workspace is the same too. undefined: this
 * one is unlike any that can be parked.
 */
export function poolKey(place: Place, plan: Plan, clone?: ParkedClone): string | undefined {
  if (plan.kind !== "clone" || plan.carrier === "engine-exec") return undefined;
  if (Object.keys(plan.labels).length > 0) return undefined;
  const { mtimeMs, size } = statSync(supervisorBundle());
  const { image, identity, limits, networkMode, runtime, author, carrier } = plan;
  const facts = [
    place.facts.id,
    image.id,
    identity.uid,
    identity.gid,
    limits.memoryBytes,
    limits.cpus,
    limits.pids,
    limits.fileBytes,
    networkMode,
    runtime,
    author.gitName,
    author.gitEmail,
    carrier,
    mtimeMs,
    size,
    ...(clone ? [clone.path, clone.repository] : []),
  ];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 20);
}

/** The clone that a plan is about; undefined where it has none. */
export function cloneOf({ kind, workspaces, source }: Plan): ParkedClone | undefined {
  const [workspace] = workspaces;
  if (kind !== "clone" || !workspace) return undefined;
  return { path: workspace.path, repository: source ?? workspace.path };
}
