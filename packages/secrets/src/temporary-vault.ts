import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openVault, type Vault } from "./vault.ts";

export interface TemporaryVault {
  /** The whole of it: state and key are below. */
  folder: string;
  stateFolder: string;
  keyFile: string;
  env: NodeJS.ProcessEnv;
  vault: Vault;
  /** Another opening of the same vault, as another process would have it. */
  opened(): Vault;
  /** Moves the clock of every opening. */
  pass(ms: number): void;
  /** The folder of one part of the vault, and the files in it. */
  part(name: "values" | "leases" | "audit"): { folder: string; files: string[] };
  /** Every byte of every file. */
  everything(): Buffer;
  remove(): void;
}

/** A vault for a test, with a clock that the test moves. */
export function temporaryVault(start = new Date("2026-01-01T00:00:00Z")): TemporaryVault {
  const folder = mkdtempSync(join(tmpdir(), "ot-vault-"));
  const stateFolder = join(folder, "state");
  const keyFile = join(folder, "config", "vault.key");
  const env = { OPENTIGER_VAULT_KEY_FILE: keyFile };
  let now = start.getTime();
  const opened = () => openVault({ stateFolder, env, program: "test", now: () => new Date(now) });
  return {
    folder,
    stateFolder,
    keyFile,
    env,
    vault: opened(),
    opened,
    pass: (ms) => {
      now += ms;
    },
    part: (name) => {
      const part = join(stateFolder, "secrets", name);
      return { folder: part, files: readdirSync(part).toSorted() };
    },
    everything: () => {
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
