import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { databaseUrl, EmbeddedPostgres, openPlace, removeAbandoned } from "@opentiger/orchestrator";
import { HostBackend, openState, SandboxError, stateFolder } from "@opentiger/sandbox";
import { CodedError } from "@opentiger/schema";
import { refuseRunning } from "../instance/processes.ts";
import { foreignNames, removeSockets, removeState } from "../uninstall/remove-state.ts";
import { hashOf, unpackFile, unpackInto } from "./archive.ts";
import { makeBackup } from "./make-backup.ts";
import { invalid, type Manifest, parts, readManifest } from "./manifest.ts";

export interface RestoreOptions {
  /** Whether what is there gives way; it is backed up beside its folder first. */
  force: boolean;
  say: (sentence: string) => void;
  signal?: AbortSignal | undefined;
}

export interface Restored {
  manifest: Manifest;
  folder: string;
  /** Where what was there before is now; null: nothing was. */
  before: string | null;
}

/**
 * Puts an instance back as it was. All of the file is read and checked before anything is touched; what is there gives way
 * only by force, and is in a backup of its own by then. The state folder appears in one step, complete.
 */
export async function restoreBackup(
  env: NodeJS.ProcessEnv,
  file: string,
  { force, say, signal }: RestoreOptions,
): Promise<Restored> {
  const folder = stateFolder(env);
  if (!existsSync(file)) throw new SandboxError("not_found", `there is no ${file}`);
  mkdirSync(dirname(folder), { recursive: true });
  const aside = mkdtempSync(join(dirname(folder), ".ot-"));
  try {
    say("reading the backup");
    const manifest = await unpackAll(file, aside, signal);
    refuseOtherDatabase(env, manifest);
    refuseTwin(manifest, folder);
    const before = await makeRoom(env, join(aside, "state"), { force, say, signal });
    say("putting everything in its place");
    await putInPlace(env, aside, manifest).catch((error: unknown) => {
      throw before === null ? error : withWayBack(error, before);
    });
    return { manifest, folder, before };
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function putInPlace(env: NodeJS.ProcessEnv, aside: string, manifest: Manifest): Promise<void> {
  const folder = stateFolder(env);
  if (manifest.database.kind === "embedded") await putDatabase(env, aside);
  removeSockets({ ...env, OPENTIGER_HOME: join(aside, "state") });
  renameSync(join(aside, "state"), folder);
  await openOnce(env, manifest, folder);
}

function withWayBack(error: unknown, before: string): SandboxError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof CodedError ? error.code : "internal";
  return new SandboxError(code, message, {
    remedy: `what was there before is in ${before}; opentiger restore --force puts it back`,
    cause: error,
  });
}

async function unpackAll(file: string, aside: string, signal: AbortSignal | undefined): Promise<Manifest> {
  const outer = join(aside, "parts");
  mkdirSync(outer);
  try {
    await unpackFile(file, outer, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw invalid(error instanceof Error ? error.message : String(error), error);
  }
  const manifest = readManifest(outer);
  for (const part of ["state", "database"] as const) {
    const expected = manifest.hashes[part];
    if (expected === undefined) continue;
    const path = join(outer, parts[part]);
    if (!existsSync(path) || (await hashOf(path)) !== expected)
      throw invalid(`${parts[part]} is not as it was`);
    mkdirSync(join(aside, part), { mode: 0o700 });
    await unpackInto(join(aside, part), path, signal);
    rmSync(path);
  }
  if (instanceIn(join(aside, "state")) !== manifest.instance)
    throw invalid("its parts do not belong together");
  return manifest;
}

/** Data of the embedded database are of no use beside a URL, and the other way round. */
function refuseOtherDatabase(env: NodeJS.ProcessEnv, { database }: Manifest): void {
  const url = databaseUrl(env);
  if (database.kind === "embedded" && url)
    throw new SandboxError(
      "database_refused",
      "the backup has the embedded database, and OPENTIGER_DATABASE_URL is set",
      {
        remedy: "unset OPENTIGER_DATABASE_URL",
      },
    );
  if (database.kind === "url" && !url)
    throw new SandboxError(
      "database_refused",
      `the backup's database is not in it: it was at ${database.where}`,
      {
        remedy: "restore that one with its own tools, set OPENTIGER_DATABASE_URL, and try again",
      },
    );
}

/** The same instance in two folders would fight for the same sandboxes and the same database. */
function refuseTwin({ folder: made, instance }: Manifest, folder: string): void {
  if (made === folder || instanceIn(made) !== instance) return;
  throw new SandboxError("already_exists", `this instance is still in ${made}`, {
    remedy: `restore it there (OPENTIGER_HOME=${made}), or uninstall it there first`,
  });
}

/** Returns where what was there is kept; null: there was nothing. */
async function makeRoom(
  env: NodeJS.ProcessEnv,
  coming: string,
  { force, say, signal }: RestoreOptions,
): Promise<string | null> {
  const folder = stateFolder(env);
  if (!existsSync(folder)) return null;
  if (!existsSync(join(folder, "instance"))) {
    if (readdirSync(folder).length > 0) throw notEmpty(folder, "is not empty, and not openTiger's");
    rmSync(folder, { recursive: true });
    return null;
  }
  await refuseRunning(env, "nothing is restored");
  if (!force) throw notEmpty(folder, "holds an instance already");
  const foreign = foreignNames(folder);
  if (foreign.length > 0) throw notEmpty(folder, `holds what is not openTiger's: ${foreign.join(", ")}`);
  await refuseRunningSandboxes(folder);
  await refuseLosingSandboxes(folder, coming);
  const kept = `${folder}-before-${new Date().toISOString().replaceAll(/[:.]/g, "-")}.backup`;
  say(`keeping what is there as ${kept}`);
  await makeBackup(env, kept, { say, signal });
  await removeState(env);
  return kept;
}

/** Those of the host work in the state folder itself, and end when it goes. Others have all they need in their engine. */
async function refuseRunningSandboxes(folder: string): Promise<void> {
  const running = (await hostSandboxes(folder)).filter(({ status }) => status === "running");
  if (running.length === 0) return;
  const names = running.map(({ name }) => name).join(" ");
  throw new SandboxError("not_allowed_now", `nothing is restored while sandboxes of the host run: ${names}`, {
    remedy: `opentiger sandbox stop ${names}`,
  });
}

/** A sandbox that only the present records know would be nobody's afterwards. */
async function refuseLosingSandboxes(folder: string, coming: string): Promise<void> {
  const known = new Set(await sandboxIds(coming));
  const lost = (await sandboxIds(folder)).filter((id) => !known.has(id));
  if (lost.length === 0) return;
  throw new SandboxError(
    "not_allowed_now",
    `${lost.length} of the sandboxes that are there now are not in the backup, and nobody would know them afterwards`,
    { remedy: "remove them first: opentiger sandbox ls, opentiger sandbox rm NAME (or reset -f)" },
  );
}

async function sandboxIds(folder: string): Promise<string[]> {
  const path = join(folder, "sandboxes");
  const records = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".json")) : [];
  return [...records, ...(await hostSandboxes(folder)).map(({ id }) => id)];
}

function hostSandboxes(folder: string): ReturnType<HostBackend["list"]> {
  return new HostBackend(openState(folder)).list();
}

/** While the state folder is still aside: whoever finds the instance finds its data too. */
async function putDatabase(env: NodeJS.ProcessEnv, aside: string): Promise<void> {
  const postgres = new EmbeddedPostgres({ ...env, OPENTIGER_HOME: join(aside, "state") });
  // What a restore left that was killed in the middle; with a state folder that lives it is not touched.
  await removeAbandoned(postgres.place.folder);
  await postgres.putData(join(aside, "database"));
}

/** The proof that it can be used. In another folder than before, what names the old one is brought up to date. */
async function openOnce(env: NodeJS.ProcessEnv, manifest: Manifest, folder: string): Promise<void> {
  if (manifest.database.kind === "none") return;
  const place = await openPlace(env, { program: "restore" });
  try {
    if (manifest.folder === folder) return;
    for (const [table, column] of [
      ["artifacts", "path"],
      ["runs", "transcript"],
    ] as const)
      await place.database.query(
        `update ${table} set ${column} = $2 || substr(${column}, length($1) + 1) where starts_with(${column}, $1 || '/')`,
        [manifest.folder, folder],
      );
  } finally {
    await place.close();
  }
}

function instanceIn(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, "instance"), "utf8").trim();
  } catch {
    return undefined;
  }
}

function notEmpty(folder: string, why: string): SandboxError {
  return new SandboxError("already_exists", `${folder} ${why}`, {
    remedy: "set OPENTIGER_HOME to another folder; with --force what is there is backed up and gives way",
  });
}
