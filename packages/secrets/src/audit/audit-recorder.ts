import { userInfo } from "node:os";
import { VaultError } from "../errors.ts";
import { ownUid } from "../storage/private-file.ts";
import type { AuditLog } from "./audit-log.ts";
import { type Actor, type AuditEntry, eventOf } from "./event.ts";

/** Writes down what this process does to the vault. */
export class AuditRecorder {
  readonly #log: AuditLog;
  readonly #actor: Actor;
  readonly #now: () => Date;

  constructor(log: AuditLog, program: string, now: () => Date) {
    this.#log = log;
    const uid = ownUid(-1);
    this.#actor = { uid, user: userName(uid), pid: process.pid, program };
    this.#now = now;
  }

  /** Throws when nothing could be recorded. Asked before a change, so that none is made that cannot be. */
  check(): void {
    this.#log.check();
  }

  record(entry: AuditEntry): void {
    this.#log.append(eventOf(entry, this.#actor, this.#now()));
  }

  /** Does something and records it, or records that it was refused. What is returned is in the audit already. */
  async around<T>(
    entry: AuditEntry,
    act: () => Promise<T>,
    more: (result: T) => Partial<AuditEntry> = () => ({}),
  ): Promise<T> {
    this.check();
    let result: T;
    try {
      result = await act();
    } catch (error) {
      const reason = error instanceof VaultError ? error.code : "internal";
      this.record({ ...entry, outcome: "refused", reason });
      throw error;
    }
    this.record({ ...entry, ...more(result) });
    return result;
  }
}

/** In a container, a uid may have no name. */
function userName(uid: number): string {
  try {
    return userInfo().username;
  } catch {
    return String(uid);
  }
}
