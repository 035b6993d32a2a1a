import { Decrypter, Encrypter, identityToRecipient } from "age-encryption";
import { VaultError } from "../errors.ts";
import type { KeyFile } from "../storage/key-file.ts";
import type { Codec } from "../storage/versioned-file.ts";
import type { Version } from "../storage/versions.ts";
import { type SecretBook, secretBook } from "./secret.ts";

/** The secrets as an ordinary age file: `age -d -i vault.key FILE` opens it too. */
export function secretCodec(key: KeyFile, dataExists: () => boolean): Codec<SecretBook> {
  return {
    async encode(book) {
      // Never a new key beside old data: what the old key closed would be lost.
      const identity = dataExists() ? existing(key) : await key.readOrMake();
      const encrypter = new Encrypter();
      encrypter.addRecipient(await identityToRecipient(identity));
      return encrypter.encrypt(JSON.stringify(book));
    },

    async decode(bytes, version) {
      const identity = existing(key);
      try {
        const decrypter = new Decrypter();
        decrypter.addIdentity(identity);
        return secretBook.parse(JSON.parse(await decrypter.decrypt(bytes, "text")));
      } catch (error) {
        throw unreadable(version, key, error);
      }
    },
  };
}

function existing(key: KeyFile): string {
  const identity = key.read();
  if (identity !== undefined) return identity;
  throw new VaultError(
    "vault_key_missing",
    `there are secrets, but the key that opens them is not at ${key.path}`,
    { remedy: "put the key back, or set OPENTIGER_VAULT_KEY_FILE to where it is; no new key was made" },
  );
}

/** The cause is not handed on: a parser's message quotes what it could not parse. */
function unreadable({ path, backup }: Version, { path: keyPath }: KeyFile, error: unknown): VaultError {
  const otherKey = error instanceof Error && /no identity matched/.test(error.message);
  const why = otherKey ? `was closed with another key than ${keyPath}` : "is damaged";
  const restore = backup
    ? `the version before it is ${backup}; to go back to it: mv ${path} ${path}.damaged`
    : `there is no older version; put ${path} back from a copy of yours`;
  const remedy = otherKey ? `put the right key back at ${keyPath}; or: ${restore}` : restore;
  return new VaultError("vault_unreadable", `${path} ${why}; nothing was changed`, { remedy });
}
