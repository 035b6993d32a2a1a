import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { z } from "zod";
import type { HostRun, HostRunRequest } from "../api.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { readText } from "../gateway/text-file.ts";
import { type Owner, ownerLives, ownerOf } from "./owner.ts";

const runFile = z.object({
  version: z.literal(1),
  runs: z.record(z.string(), z.object({ pid: z.number().int(), startTime: z.string().nullable() })),
});

/**
 * Runs of agents on the host itself. Each has a token of its own for the gateway's port on the loopback, and leases of
 * its own; both end with it, also when whoever began it was killed, and also when we were: who owns which run is kept
 * in a file.
 */
export class HostRuns {
  readonly #gateway: Gateway;
  readonly #path: string;
  readonly #onTrouble: (sentence: string) => void;
  readonly #owners: Map<string, Owner>;

  constructor(gateway: Gateway, path: string, onTrouble: (sentence: string) => void) {
    this.#gateway = gateway;
    this.#path = path;
    this.#onTrouble = onTrouble;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#owners = new Map(Object.entries(keptRuns(path)));
  }

  /** After a start: runs that go on find the gateway where it was, and what is left of others is ended. */
  async adopt(): Promise<void> {
    for (const id of this.#gateway.knownSandboxes())
      if (isHostRun(id) && !this.#owners.has(runOf(id))) await this.#abandon(runOf(id));
    if ((await this.live()) > 0) await this.#gateway.listenLoopback();
  }

  async begin({ run, name, loop, agent, pid }: HostRunRequest): Promise<HostRun> {
    const { port } = await this.#gateway.listenLoopback();
    const caller = { sandboxId: sandboxIdOf(run), sandboxName: name, run, loop };
    // Before anything is given: what nobody is known to own is never ended.
    this.#owners.set(run, ownerOf(pid));
    this.#write();
    const token = this.#gateway.tokenFor(caller);
    const { env, files, trouble } = await this.#gateway.prepare(
      { ...caller, token },
      [agent],
      `http://127.0.0.1:${port}`,
    );
    const given = Object.keys(env).length > 0 || files.length > 0;
    if (!given) await this.end(run);
    return { given, env, files, trouble };
  }

  /** Its token is of no use from here on, also where the vault cannot be told that its leases are over. */
  async end(run: string): Promise<void> {
    this.#gateway.endRun(sandboxIdOf(run), run);
    if (this.#owners.delete(run)) this.#write();
    await this.#gateway.forget(sandboxIdOf(run));
  }

  /** How many go on. Those whose process is gone are ended. */
  async live(): Promise<number> {
    for (const [run, owner] of this.#owners) if (!ownerLives(owner)) await this.#abandon(run);
    return this.#owners.size;
  }

  async #abandon(run: string): Promise<void> {
    await this.end(run).catch((error: unknown) =>
      this.#onTrouble(`not all of the run ${run} was ended: ${String(error)}`),
    );
  }

  #write(): void {
    const runs = Object.fromEntries(this.#owners);
    writeAtomically(this.#path, JSON.stringify({ version: 1, runs }));
  }
}

const prefix = "host-";

/** Whether an id is that of a run on the host, which has no record. */
export function isHostRun(id: string): boolean {
  return id.startsWith(prefix);
}

function sandboxIdOf(run: string): string {
  return prefix + run;
}

function runOf(sandboxId: string): string {
  return sandboxId.slice(prefix.length);
}

/** A file that is damaged tells of nobody: then the grants of all such runs end. */
function keptRuns(path: string): Record<string, Owner> {
  try {
    return runFile.parse(JSON.parse(readText(path) ?? "")).runs;
  } catch {
    return {};
  }
}
