import { UsageError } from "../errors.ts";

const usual = "ctrl-p,ctrl-q";

/**
 * Watches what is typed for the keys that leave a command running, written as docker does: `ctrl-p,ctrl-q`, `x`.
 * Keys that turn out to be no detaching go to the command, late by as long as it took to know.
 */
export class DetachKeys {
  readonly #sequence: readonly number[];
  #matched = 0;

  constructor(keys: string | undefined) {
    // An empty text, as in docker, means that nothing detaches.
    this.#sequence = keys === "" ? [] : (keys ?? usual).split(",").map(keyCode);
  }

  take(data: Buffer): { pass: Buffer; detach: boolean } {
    const pass: number[] = [];
    for (const byte of data) {
      if (this.#sequence[this.#matched] !== byte) {
        pass.push(...this.#sequence.slice(0, this.#matched));
        this.#matched = 0;
      }
      if (this.#sequence[this.#matched] === byte) this.#matched += 1;
      else pass.push(byte);
      if (this.#matched > 0 && this.#matched === this.#sequence.length)
        return { pass: Buffer.from(pass), detach: true };
    }
    return { pass: Buffer.from(pass), detach: false };
  }
}

function keyCode(key: string): number {
  const control = /^ctrl-([a-z@[\\\]^_])$/i.exec(key)?.[1];
  if (control) return control.toUpperCase().charCodeAt(0) & 0x1f;
  if (/^[\x21-\x7e]$/.test(key)) return key.charCodeAt(0);
  throw new UsageError(
    `"${key}" is not a key`,
    "Write letters or ctrl-LETTER with commas between: ctrl-p,ctrl-q",
  );
}
