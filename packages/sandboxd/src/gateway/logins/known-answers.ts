import { createHash } from "node:crypto";
import type { Credential } from "../credentials/credential.ts";

/** A login that worked this morning works: asking again would tell no more. */
const provedMs = 4 * 3_600_000;

/** Somebody who has just been refused is about to mend it. */
const rejectedMs = 15_000;

/** More credentials than one machine has. */
const remembered = 256;

export interface KnownAnswer {
  accepted: boolean;
  at: Date;
}

/**
 * What the APIs last said to each credential, whoever asked. A credential is known by a digest, which is never written
 * anywhere; another value in the same place is another credential, and a place to send it to is part of it.
 */
export class KnownAnswers {
  readonly #now: () => Date;
  readonly #answers = new Map<string, KnownAnswer>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** undefined where nothing is known, or no more. */
  of(credential: Credential, upstream: URL): KnownAnswer | undefined {
    const known = this.#answers.get(digestOf(credential, upstream));
    const age = known && this.#now().getTime() - known.at.getTime();
    if (known === undefined || age === undefined) return undefined;
    return age < (known.accepted ? provedMs : rejectedMs) ? known : undefined;
  }

  /** 401 is the only word for a bad credential: 403 is said of many things. Others prove nothing. */
  note(credential: Credential, upstream: URL, status: number): void {
    const accepted = status >= 200 && status < 300;
    if (!accepted && status !== 401) return;
    const digest = digestOf(credential, upstream);
    this.#answers.delete(digest);
    this.#answers.set(digest, { accepted, at: this.#now() });
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= remembered) break;
      this.#answers.delete(oldest);
    }
  }
}

function digestOf({ kind, secrets }: Credential, { origin, pathname }: URL): string {
  const parts = [kind, `${origin}${pathname.replace(/\/+$/, "")}`, ...secrets];
  return createHash("sha256").update(parts.join("\0")).digest("base64url");
}
