import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { link } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { databaseUrl, EmbeddedPostgres } from "@opentiger/orchestrator";
import { SandboxError, stateFolder } from "@opentiger/sandbox";
import { opentigerVersion } from "@opentiger/schema";
import { refuseRunning } from "../instance/processes.ts";
import { hashOf, packFile, packFolder } from "./archive.ts";
import { type Manifest, manifestFile, parts } from "./manifest.ts";

export interface BackupOptions {
  say: (sentence: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Everything of this instance in one file: the state folder, with the vault as it is, encrypted, and the embedded
 * database. The file is whole or not there. Nothing may run meanwhile, and the database is kept from starting.
 */
export async function makeBackup(
  env: NodeJS.ProcessEnv,
  file: string,
  { say, signal }: BackupOptions,
): Promise<Manifest> {
  const folder = stateFolder(env);
  if (!existsSync(join(folder, "instance"))) throw nothingThere(folder);
  if (existsSync(file)) throw alreadyThere(file);
  if (!existsSync(dirname(file)) || isWithin(file, folder)) throw noPlace(file);
  await refuseRunning(env, "a backup is not made");
  const aside = mkdtempSync(join(dirname(file), ".opentiger-backup-"));
  try {
    const database = await packDatabase(env, join(aside, parts.database), { say, signal });
    say("packing the state folder");
    const state = join(aside, parts.state);
    await packFolder(folder, createWriteStream(state, { mode: 0o600 }), { exclude: leftOut(folder), signal });
    const told: Manifest = {
      format: 1,
      opentiger: opentigerVersion,
      createdAt: new Date().toISOString(),
      instance: readFileSync(join(folder, "instance"), "utf8").trim(),
      folder,
      database,
      hashes: {
        state: await hashOf(state),
        ...(database.kind === "embedded" ? { database: await hashOf(join(aside, parts.database)) } : {}),
      },
    };
    writeFileSync(join(aside, manifestFile), `${JSON.stringify(told, null, 2)}\n`, { mode: 0o600 });
    const names = [manifestFile, parts.state, ...(database.kind === "embedded" ? [parts.database] : [])];
    const whole = join(aside, "whole");
    await packFile(aside, names, whole, signal);
    // Unlike a rename this never replaces what somebody has put there meanwhile.
    await link(whole, file);
    return told;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function packDatabase(
  env: NodeJS.ProcessEnv,
  file: string,
  { say, signal }: BackupOptions,
): Promise<Manifest["database"]> {
  const url = databaseUrl(env);
  if (url) return { kind: "url", where: url.where };
  const postgres = new EmbeddedPostgres(env);
  if ((await postgres.status()).state === "none") return { kind: "none" };
  say("packing the database");
  await postgres.whileStopped((data) =>
    packFolder(data, createWriteStream(file, { mode: 0o600 }), { signal }),
  );
  return { kind: "embedded" };
}

/** Sockets and where they are; what can be made again; the database, which is a part of its own. */
function leftOut(folder: string): string[] {
  const postgres = join(folder, "postgres");
  const ofPostgres = existsSync(postgres) ? readdirSync(postgres).filter((name) => name !== "password") : [];
  return ["c", "carriers", "throwaways", ...ofPostgres.map((name) => `postgres/${name}`)];
}

function nothingThere(folder: string): SandboxError {
  return new SandboxError("not_found", `there is nothing of openTiger's in ${folder}`, {
    remedy: "set OPENTIGER_HOME to the state folder that is meant",
  });
}

function isWithin(file: string, folder: string): boolean {
  return !relative(folder, file).startsWith("..");
}

function noPlace(file: string): SandboxError {
  return new SandboxError("usage", `a backup cannot be written to ${file}`, {
    remedy: "name a file in a folder that is there, outside of the state folder",
  });
}

function alreadyThere(file: string): SandboxError {
  return new SandboxError("already_exists", `${file} is there already, and is not written over`, {
    remedy: "name another file",
  });
}
