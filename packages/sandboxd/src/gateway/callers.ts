import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { z } from "zod";
import type { GatewayCaller } from "./caller.ts";
import { readText } from "./text-file.ts";

/** More than one machine runs; the oldest are forgotten first. */
const maxCallers = 4096;

const callerFile = z.object({
  version: z.literal(1),
  port: z.number().int().nullable(),
  callers: z.array(
    z.object({
      /** Of the token. The token itself is known only to whom it was given. */
      digest: z.string(),
      sandboxId: z.string(),
      sandboxName: z.string(),
      run: z.string().optional(),
      loop: z.string().optional(),
    }),
  ),
});
type KnownCaller = z.infer<typeof callerFile>["callers"][number];

const tokenPattern = /otk-[A-Za-z0-9_-]{43}/;

/**
 * Who may use the gateway on the host's loopback: each run has a token of its own and is known by it, also to a
 * sandboxd that was started after it. The port is kept, so that a running CLI finds the new one.
 */
export class HostCallers {
  readonly #path: string;
  readonly #callers = new Map<string, KnownCaller>();
  #port: number | null;

  constructor(folder: string) {
    this.#path = join(folder, "callers.json");
    const text = readText(this.#path);
    const kept = text === undefined ? { port: null, callers: [] } : callerFile.parse(JSON.parse(text));
    this.#port = kept.port;
    for (const caller of kept.callers) this.#callers.set(caller.digest, caller);
  }

  get port(): number | null {
    return this.#port;
  }

  set port(port: number) {
    if (port === this.#port) return;
    this.#port = port;
    this.#write();
  }

  /** A new one for each call: what a run was given ends with it. */
  tokenFor({ sandboxId, sandboxName, run, loop }: GatewayCaller): string {
    const token = `otk-${randomBytes(32).toString("base64url")}`;
    const digest = digestOf(token);
    this.#callers.set(digest, {
      digest,
      sandboxId,
      sandboxName,
      ...(run === undefined ? {} : { run }),
      ...(loop === undefined ? {} : { loop }),
    });
    for (const oldest of this.#callers.keys()) {
      if (this.#callers.size <= maxCallers) break;
      this.#callers.delete(oldest);
    }
    this.#write();
    return token;
  }

  /** By what the client sends in place of a credential: as a key, as a bearer token, or as the end of one. */
  of({ headers }: IncomingMessage): GatewayCaller | undefined {
    const key = headers["x-api-key"];
    const told = headers.authorization ?? (Array.isArray(key) ? key[0] : key) ?? "";
    const token = tokenPattern.exec(told)?.[0];
    const known = token === undefined ? undefined : this.#callers.get(digestOf(token));
    if (!known) return undefined;
    const { sandboxId, sandboxName, run, loop } = known;
    return { sandboxId, sandboxName, run, loop };
  }

  /** All tokens of a sandbox, or of one run in it. */
  forget(sandboxId: string, run?: string): void {
    const gone = [...this.#callers.values()].filter(
      (caller) => caller.sandboxId === sandboxId && (run === undefined || caller.run === run),
    );
    for (const { digest } of gone) this.#callers.delete(digest);
    if (gone.length > 0) this.#write();
  }

  #write(): void {
    const callers = [...this.#callers.values()];
    writeAtomically(this.#path, JSON.stringify({ version: 1, port: this.#port, callers }));
  }
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
