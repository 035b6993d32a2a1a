import type { DockerBackend, WarmOptions } from "@opentiger/sandbox";
import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { knownProject } from "../project/known-project.ts";
import { knownPrepared } from "../project/prepared.ts";
import { sandboxShape } from "../project/sandbox-shape.ts";
import type { LoopRow } from "../state/loops.ts";
import { findRepository } from "../state/repositories.ts";

/** What the sandboxes of a loop are like, so that one can be made before it has a name. */
export interface WarmKind {
  options: Omit<WarmOptions, "count" | "signal">;
  /** By which those are known that are there. */
  key: string;
}

/**
 * As they are made now. undefined: the project's set-up is not done yet, and whoever needs it does it. A sandbox in which
 * agents run serves the judge's checks too, unless only one of the two has a network of its own.
 */
export async function warmKind(
  place: Place,
  backend: DockerBackend,
  loop: LoopRow,
  signal: AbortSignal,
): Promise<WarmKind | undefined> {
  const { baseOid, branchOid, settings } = loop;
  const row = await findRepository(place.database, loop.repository);
  if (!row || baseOid === null) return undefined;
  const repository = await LoopRepository.open(place, row, signal);
  const project = await knownProject(repository, baseOid, settings.project);
  const commit = branchOid ?? baseOid;
  const about = { loop, repository, project, environment: "sandbox", commit } as const;
  const prepared = await knownPrepared(place, about);
  if (!prepared) return undefined;
  const shape = sandboxShape(place, { ...about, prepared, phase: "run" });
  const options = { ...shape, commit };
  return { options, key: await backend.warmKey({ ...options, signal }) };
}
