import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { z } from "zod";
import { providers } from "../routes/provider.ts";
import { readText } from "../text-file.ts";

/**
 * What one sandbox was given: that it may use credentials at all, which ones were chosen for it, and the leases. It
 * holds no value. A sandbox without a grant gets nothing.
 */
export const grant = z.object({
  version: z.literal(1),
  sandboxId: z.string(),
  sandboxName: z.string(),
  grantedAt: z.string(),
  /** Whose requests are answered with a credential: there CONNECT would be a way around us. */
  providers: z.array(z.enum(providers)),
  /** Once chosen, the source stays: a revoked lease is not quietly replaced by another credential. */
  chosen: z.record(z.string(), z.string()),
  /** By name of the secret. */
  leases: z.record(z.string(), z.object({ id: z.string(), expiresAt: z.string() })),
});
export type Grant = z.infer<typeof grant>;

/** One file a sandbox, 0600. */
export class Grants {
  readonly #folder: string;
  readonly #grants = new Map<string, Grant>();

  constructor(folder: string, onTrouble: (sentence: string) => void) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".json"))) {
      const kept = readGrant(join(folder, name));
      if (kept) this.#grants.set(kept.sandboxId, kept);
      else
        onTrouble(
          `the grant ${name} cannot be read: that sandbox has no credential until it is given one anew`,
        );
    }
  }

  of(sandboxId: string): Grant | undefined {
    return this.#grants.get(sandboxId);
  }

  sandboxes(): string[] {
    return [...this.#grants.keys()];
  }

  /** Changes what is there now: between a question to the vault and its answer another request may have changed it. */
  change(sandboxId: string, change: (latest: Grant) => Grant): void {
    const latest = this.#grants.get(sandboxId);
    if (latest) this.put(change(latest));
  }

  put(granted: Grant): void {
    const path = this.#path(granted.sandboxId);
    writeAtomically(path, JSON.stringify(granted));
    this.#grants.set(granted.sandboxId, granted);
  }

  remove(sandboxId: string): Grant | undefined {
    const removed = this.#grants.get(sandboxId);
    this.#grants.delete(sandboxId);
    rmSync(this.#path(sandboxId), { force: true });
    return removed;
  }

  #path(sandboxId: string): string {
    return join(this.#folder, `${encodeURIComponent(sandboxId)}.json`);
  }
}

function readGrant(path: string): Grant | undefined {
  try {
    return grant.parse(JSON.parse(readText(path) ?? ""));
  } catch {
    return undefined;
  }
}
