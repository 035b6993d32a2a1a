import type { HostRun, HostRunRequest } from "../api.ts";
import type { Gateway } from "../gateway/gateway.ts";

/**
 * Runs of agents on the host itself. Each has a token of its own for the gateway's port on the loopback, and leases of
 * its own; both end with it, also when whoever began it was killed.
 */
export class HostRuns {
  readonly #gateway: Gateway;
  readonly #pids = new Map<string, number>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  async begin({ run, name, loop, agent, pid }: HostRunRequest): Promise<HostRun> {
    const { port } = await this.#gateway.listenLoopback();
    const caller = { sandboxId: sandboxIdOf(run), sandboxName: name, run, loop };
    this.#pids.set(run, pid);
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

  async end(run: string): Promise<void> {
    this.#pids.delete(run);
    await this.#gateway.revoke(sandboxIdOf(run));
  }

  /** How many go on. Those whose process is gone are ended. */
  async live(): Promise<number> {
    for (const [run, pid] of this.#pids) if (!lives(pid)) await this.end(run);
    return this.#pids.size;
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

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
