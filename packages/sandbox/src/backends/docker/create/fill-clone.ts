import type { SandboxRecord } from "@opentiger/schema";
import type { CreateOptions, Sandbox } from "../../../sandbox.ts";
import { type PresentClone, putRepository } from "../../../workspace/clone.ts";
import { labels } from "../labels.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * Puts the repository of a plan into its sandbox, and returns what the record says of it. A clone that the image
 * brought, or that waited in the pool, is taken up and brought to the commit.
 */
export async function fillClone(
  sandbox: Sandbox,
  plan: Pick<Plan, "workspaces" | "source" | "start" | "image">,
  { onProgress, signal, there }: FillOptions,
): Promise<SandboxRecord["repository"]> {
  const path = plan.workspaces[0]?.path ?? "";
  const repository = plan.source ?? path;
  onProgress?.(`copying the repository ${repository}`);
  const present = there ?? savedClone(plan.image.labels, path);
  const { commit } = await putRepository(sandbox, {
    repository,
    path,
    start: plan.start,
    ...(present ? { there: present } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
  return { path, commit, ...(plan.source === undefined ? {} : { source: plan.source }) };
}

type FillOptions = Pick<CreateOptions, "onProgress" | "signal"> & { there?: PresentClone | undefined };

/** Only a hint where to look: the clone of a saved sandbox is asked what it has. */
function savedClone(found: Readonly<Record<string, string>>, path: string): PresentClone | undefined {
  return found[labels.clone] === path ? { kind: "clone" } : undefined;
}
