/** Shorter ones would be found by chance in any text. */
export const shortestSecret = 8;

const asterisk = 0x2a;

/**
 * Takes secrets out of bytes that arrive in pieces of any size, each byte of one becoming an asterisk: lengths stay
 * as they were told. Only a tail that may be the start of a secret is held back, so what holds none passes at once.
 */
export class Redactor {
  readonly #secrets: readonly Buffer[];
  #held: Buffer = Buffer.alloc(0);

  constructor(secrets: Iterable<string>) {
    const spellings = [...secrets].flatMap((secret) => [secret, encodeURIComponent(secret)]);
    const useful = [...new Set(spellings)].filter((secret) => secret.length >= shortestSecret);
    // The longest first: where one begins like another, the whole of it goes.
    this.#secrets = useful.map((secret) => Buffer.from(secret)).toSorted((a, b) => b.length - a.length);
  }

  /** What can be passed on of all that came so far. */
  feed(chunk: Buffer): Buffer {
    if (this.#secrets.length === 0) return chunk;
    const { bytes, clean } = this.#masked(
      this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]),
    );
    const start = Math.max(clean, this.#startOfTail(bytes, clean));
    this.#held = Buffer.from(bytes.subarray(start));
    return bytes.subarray(0, start);
  }

  /** The rest, which is not a secret any more. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  /** Of a whole text, for itself. */
  text(text: string): string {
    if (this.#secrets.length === 0) return text;
    return this.#masked(Buffer.from(text, "latin1")).bytes.toString("latin1");
  }

  /** `clean`: before this point nothing is to be looked at again. */
  #masked(bytes: Buffer): { bytes: Buffer; clean: number } {
    let masked = bytes;
    let clean = 0;
    for (const secret of this.#secrets) {
      for (let at = masked.indexOf(secret); at !== -1; at = masked.indexOf(secret, at + secret.length)) {
        if (masked === bytes) masked = Buffer.from(bytes);
        masked.fill(asterisk, at, at + secret.length);
        clean = Math.max(clean, at + secret.length);
      }
    }
    return { bytes: masked, clean };
  }

  /** Where the longest tail begins that a secret begins with. */
  #startOfTail(bytes: Buffer, from: number): number {
    return Math.min(bytes.length, ...this.#secrets.map((secret) => startOf(bytes, secret, from)));
  }
}

function startOf(bytes: Buffer, secret: Buffer, from: number): number {
  const first = secret[0] ?? 0;
  let at = Math.max(from, bytes.length - secret.length + 1);
  for (at = bytes.indexOf(first, at); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (bytes.subarray(at).equals(secret.subarray(0, bytes.length - at))) return at;
  }
  return bytes.length;
}
