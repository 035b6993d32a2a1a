import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { errno } from "@opentiger/schema";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { VaultError } from "../errors.ts";
import { writeNewFile } from "./new-file.ts";
import { ownUid, unusable } from "./private-file.ts";

/** Where the key is: `OPENTIGER_VAULT_KEY_FILE`, else in the XDG configuration folder. */
export function vaultKeyFile(env: NodeJS.ProcessEnv): string {
  const own = env["OPENTIGER_VAULT_KEY_FILE"];
  if (own && isAbsolute(own)) return own;
  if (own) {
    throw new VaultError("usage", "OPENTIGER_VAULT_KEY_FILE must be an absolute path", {
      remedy: "set it to an absolute path, or unset it",
    });
  }
  const xdg = env["XDG_CONFIG_HOME"];
  // The XDG specification says that a relative value is to be ignored.
  const base = xdg && isAbsolute(xdg) ? xdg : join(env["HOME"] || homedir(), ".config");
  return join(base, "opentiger", "vault.key");
}

/** The age identity that opens the vault: in a file of its own, which nobody but its owner can read. */
export class KeyFile {
  readonly path: string;

  constructor(path: string, vaultFolder: string) {
    this.path = path;
    const below = relative(vaultFolder, path);
    if (below === ".." || below.startsWith("../") || isAbsolute(below)) return;
    throw refused(
      path,
      "lies beside the data that it opens",
      "set OPENTIGER_VAULT_KEY_FILE to another folder",
    );
  }

  /** undefined when there is none. */
  read(): string | undefined {
    const file = this.#open();
    if (file === undefined) return undefined;
    try {
      refuseShared(this.path, fstatSync(file));
      return identityIn(this.path, readFileSync(file, "utf8"));
    } finally {
      closeSync(file);
    }
  }

  /** Only for a vault without data: a new key opens nothing that was there before. */
  async readOrMake(): Promise<string> {
    const known = this.read();
    if (known !== undefined) return known;
    const identity = await generateX25519Identity();
    const lines = [
      "# The key of the openTiger vault. Whoever can read this file can read the secrets.",
      `# public key: ${await identityToRecipient(identity)}`,
      identity,
    ];
    this.#makeFolder();
    writeNewFile(this.path, Buffer.from(`${lines.join("\n")}\n`));
    // Another process may have been first; then its key is the one.
    const made = this.read();
    if (made === undefined) throw unusable(this.path, "it vanished while it was being made");
    return made;
  }

  /** The folder may be there already and hold other things: its mode is its owner's affair. */
  #makeFolder(): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw unusable(dirname(this.path), error);
    }
  }

  #open(): number | undefined {
    try {
      return openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (errno(error) === "ENOENT") return undefined;
      throw refused(
        this.path,
        `cannot be read (${errno(error) ?? String(error)})`,
        `see who owns it: ls -l ${this.path}`,
      );
    }
  }
}

function refuseShared(path: string, found: Stats): void {
  if (!found.isFile()) throw refused(path, "is not a file", "set OPENTIGER_VAULT_KEY_FILE to the key's file");
  if (found.uid !== ownUid(found.uid)) {
    const remedy = "work as the user whose key it is, or set OPENTIGER_VAULT_KEY_FILE to a key of your own";
    throw refused(path, `belongs to another user (uid ${found.uid})`, remedy);
  }
  if ((found.mode & 0o077) === 0) return;
  throw refused(path, "can be read by others", `chmod 600 ${path}`);
}

function identityIn(path: string, text: string): string {
  const [identity, ...more] = text.split(/\r?\n/).filter((line) => line.startsWith("AGE-SECRET-KEY-1"));
  if (identity && more.length === 0) return identity.trim();
  throw refused(
    path,
    "does not hold exactly one age identity",
    "put the right key back: without it the secrets stay closed",
  );
}

function refused(path: string, why: string, remedy: string): VaultError {
  return new VaultError("vault_key_refused", `the vault's key ${path} ${why}`, { remedy });
}
