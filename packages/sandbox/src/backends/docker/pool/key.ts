import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { supervisorBundle } from "../../../state/supervisor-file.ts";
import type { Place } from "../place.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * Two clone sandboxes with the same key differ in nothing but their name, agent and workspace, so that one parked for
 * the one is as good for the other. undefined: this one is unlike any that can be parked.
 */
export function poolKey(place: Place, plan: Plan): string | undefined {
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
  ];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 20);
}
