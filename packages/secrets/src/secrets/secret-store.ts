import { randomBytes } from "node:crypto";
import { VaultError } from "../errors.ts";
import type { VersionedFile } from "../storage/versioned-file.ts";
import { type Secret, type SecretBook, secretLimits, sizeOf } from "./secret.ts";

export interface NewValue {
  name: string;
  value: Buffer;
  expiresAt: Date | undefined;
}

/** The secrets themselves. Names and values have been checked by the caller. */
export class SecretStore {
  readonly #file: VersionedFile<SecretBook>;
  readonly #now: () => Date;

  constructor(file: VersionedFile<SecretBook>, now: () => Date) {
    this.#file = file;
    this.#now = now;
  }

  async all(): Promise<readonly Secret[]> {
    return (await this.#file.read()).secrets;
  }

  async get(name: string): Promise<Secret> {
    return required(await this.all(), name);
  }

  add(added: NewValue): Promise<Secret> {
    return this.#change((secrets) => {
      if (secrets.some(({ name }) => name === added.name)) throw exists(added.name);
      const at = this.#now().toISOString();
      const secret = { id: randomBytes(10).toString("hex"), createdAt: at, ...valued(added, at) };
      return { next: [...secrets, secret], result: secret };
    });
  }

  /** Keeps the id: leases of the secret go on, and give the new value from now on. */
  update(changed: NewValue): Promise<Secret> {
    return this.#change((secrets) => {
      const before = required(secrets, changed.name);
      const secret = { ...before, ...valued(changed, this.#now().toISOString()) };
      return { next: secrets.map((each) => (each === before ? secret : each)), result: secret };
    });
  }

  delete(name: string): Promise<Secret> {
    return this.#change((secrets) => {
      const gone = required(secrets, name);
      return { next: secrets.filter((each) => each !== gone), result: gone };
    });
  }

  #change(step: (secrets: readonly Secret[]) => { next: Secret[]; result: Secret }): Promise<Secret> {
    return this.#file.change(async (book) => {
      const { next, result } = step(book.secrets);
      requireRoom(next);
      return { next: { ...book, secrets: next }, result };
    });
  }
}

function valued({ name, value, expiresAt }: NewValue, at: string) {
  return {
    name,
    value: value.toString("base64"),
    updatedAt: at,
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

function required(secrets: readonly Secret[], wanted: string): Secret {
  const secret = secrets.find(({ name }) => name === wanted);
  if (secret) return secret;
  throw new VaultError("secret_not_found", `there is no secret called ${wanted}`, {
    remedy: `put it in with \`opentiger secrets add ${wanted}\`, or see what there is with \`opentiger secrets list\``,
  });
}

function exists(name: string): VaultError {
  return new VaultError("secret_exists", `there is a secret called ${name} already`, {
    remedy: `to give it a new value: opentiger secrets update ${name}`,
  });
}

function requireRoom(secrets: readonly Secret[]): void {
  const total = secrets.reduce((sum, secret) => sum + sizeOf(secret), 0);
  if (secrets.length <= secretLimits.count && total <= secretLimits.totalBytes) return;
  const { count, totalBytes } = secretLimits;
  throw new VaultError("secret_refused", `the vault is full: ${count} secrets, ${totalBytes} bytes in all`, {
    remedy: "delete what nobody needs any more: opentiger secrets list, opentiger secrets delete NAME",
  });
}
