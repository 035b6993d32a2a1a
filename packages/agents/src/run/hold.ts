import { setTimeout as sleep } from "node:timers/promises";
import { type Execution, type OutputChunk, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { ExecExit } from "@opentiger/schema";

/** Between the polite signal and the other one: time for a CLI to write down where it was. */
const graceMs = 500;

/** A sandbox whose session broke is asked again this often, with a growing pause: an engine may be starting again. */
const reopenTries = 6;
const reopenPauseMs = 200;

export interface HoldParts {
  execId: string;
  sandbox: Sandbox;
  /** Opens the sandbox anew; without it a lost session is the end of what can be known. */
  reopen: (() => Promise<Sandbox>) | undefined;
}

/** How this process holds the exec of a run: it reads it to its end over lost sessions, and ends everything of it. */
export class Hold {
  /** What was read, of each stream. */
  readonly offsets = { stdout: 0, stderr: 0 };
  readonly #execId: string;
  readonly #reopen: (() => Promise<Sandbox>) | undefined;
  #sandbox: Sandbox;
  #execution: Execution | undefined;
  #exit: ExecExit | null = null;
  #isSandboxRemoved = false;
  #ending = false;
  #letGo = false;

  constructor({ execId, sandbox, reopen }: HoldParts) {
    this.#execId = execId;
    this.#sandbox = sandbox;
    this.#reopen = reopen;
  }

  get sandbox(): Sandbox {
    return this.#sandbox;
  }

  /** null while it runs, and where nobody can know it any more. */
  get exit(): ExecExit | null {
    return this.#exit;
  }

  /** Whether nothing of it is left: then nobody will ever know how it ended. */
  get isSandboxRemoved(): boolean {
    return this.#isSandboxRemoved;
  }

  take(execution: Execution): void {
    this.#execution = execution;
  }

  /** Reads on behind the offsets. Nothing is held where that cannot be: then how it ends will not be known. */
  async attach(): Promise<void> {
    try {
      await this.#attachHere();
    } catch (error) {
      if (!isLost(error)) throw error;
      await this.#attachElsewhere();
    }
  }

  /** Reads no more and ends nothing: it is another process's now. Whoever reads is told so. */
  letGo(): void {
    this.#letGo = true;
    this.#execution?.detach();
  }

  /** Everything that is still to come. A piece is in the sandbox until the next one is asked for. */
  async *output(): AsyncGenerator<OutputChunk, void> {
    while (this.#execution) {
      const execution = this.#execution;
      for await (const chunk of execution.output()) {
        if (this.#letGo) throw new TakenOver(this.#execId);
        this.offsets[chunk.stream] = chunk.offset + chunk.data.length;
        yield chunk;
      }
      try {
        this.#exit = await execution.exit;
        return;
      } catch (error) {
        if (!isLost(error)) throw error;
        await this.#attachAgain();
      }
    }
  }

  /** Resolves when nothing of the exec is alive, and rejects where that cannot be seen to. */
  async endAll(): Promise<void> {
    this.#ending = true;
    const execution = this.#execution;
    if (!execution || this.#letGo) return;
    await execution.kill("SIGTERM");
    await Promise.race([settled(execution.exit), sleep(graceMs)]);
    await execution.kill("SIGKILL");
  }

  /** What the command left behind is ended too: a server that it started, or a child that holds its stdout. */
  async endRest(): Promise<void> {
    await this.#execution?.kill("SIGKILL").catch(() => {});
  }

  /** Where only the exec's own stream ended, another process reads it now: two must not fight for it. */
  async #attachAgain(): Promise<void> {
    if (this.#letGo || (await isReachable(this.#sandbox))) throw new TakenOver(this.#execId);
    await this.#attachElsewhere();
  }

  async #attachElsewhere(): Promise<void> {
    this.#execution = undefined;
    for (let tries = 0; this.#reopen && tries < reopenTries; tries += 1) {
      await sleep(reopenPauseMs * 2 ** tries);
      if (this.#letGo) throw new TakenOver(this.#execId);
      try {
        this.#sandbox = await this.#reopen();
        await this.#attachHere();
        if (this.#ending) await this.endAll();
        return;
      } catch (error) {
        // Other troubles may pass; what is still so after the last try is lost.
        this.#isSandboxRemoved = isRemoved(error);
        if (this.#isSandboxRemoved) return;
      }
    }
  }

  async #attachHere(): Promise<void> {
    this.#execution = undefined;
    if (this.#letGo) throw new TakenOver(this.#execId);
    try {
      this.#execution = await this.#sandbox.attach(this.#execId, { ...this.offsets });
      if (this.#letGo) this.#execution.detach();
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#endUnheard();
    }
  }

  /** One of which a part is missing cannot be gone on with; it shall not go on without us. */
  async #endUnheard(): Promise<void> {
    try {
      const execution = await this.#sandbox.attach(this.#execId);
      await execution.kill("SIGKILL");
      execution.detach();
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

/** Another process follows the run now, and tells what comes of it. */
export class TakenOver extends SandboxError {
  constructor(execId: string) {
    super("session_lost", `another process reads the exec ${execId} now`, {
      remedy: "let it go on there: it tells the outcome",
    });
  }
}

async function isReachable(sandbox: Sandbox): Promise<boolean> {
  return sandbox.execs().then(
    () => true,
    () => false,
  );
}

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => {},
    () => {},
  );
}

function isLost(error: unknown): boolean {
  return error instanceof SandboxError && error.code === "session_lost";
}

function isRemoved(error: unknown): boolean {
  return error instanceof SandboxError && error.code === "not_found";
}

function isGone(error: unknown): boolean {
  return error instanceof SandboxError && error.code === "exec_not_found";
}
