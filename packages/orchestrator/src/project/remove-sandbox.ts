import { type Backend, SandboxError } from "@opentiger/sandbox";
import type { SandboxSummary } from "@opentiger/schema";

/** Removes a sandbox with all that is in it. One that somebody else removed meanwhile is as good. */
export async function removeSandbox(backend: Backend, name: string): Promise<void> {
  await backend.remove(name, { force: true }).catch(unlessGone);
}

/** The same for one that was seen before: who made another of its name since then keeps that. */
export async function removeSeen(
  backend: Backend,
  { name, id }: Pick<SandboxSummary, "name" | "id">,
): Promise<void> {
  await backend.remove(name, { force: true, id }).catch(unlessGone);
}

/** For whatever is done to a sandbox that need not be there any more. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof SandboxError) || error.code !== "not_found") throw error;
}
