import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@opentiger/schema";
import type { State } from "../../../state/state.ts";

/**
 * One file for each parked sandbox, named by its key and its id. Whoever takes the file away has the sandbox: a
 * rename succeeds for one process only. It keeps the taker's number until the record says who owns it, so that a
 * taker's death in between is seen.
 */
export function offer(state: State, key: string, id: string): void {
  writeFileSync(join(folder(state), `${key}.${id}`), "", { mode: 0o600 });
}

/** The id of a parked sandbox that is this process's alone from now on. */
export function take(state: State, key: string): string | undefined {
  for (const token of tokens(state)) if (token.key === key && takeToken(state, token)) return token.id;
  return undefined;
}

/** false when somebody else has it. */
export function takeToken(state: State, { key, id, taker }: Token): boolean {
  return taker === undefined && rename(state, `${key}.${id}`, `${key}.${id}.${process.pid}`);
}

/** Takes back every trace of the offer. */
export function withdraw(state: State, id: string): void {
  for (const token of tokens(state)) {
    if (token.id === id) rmSync(join(folder(state), token.file), { force: true });
  }
}

export interface Token {
  file: string;
  key: string;
  id: string;
  /** The process that has taken it and not yet written so into the record. */
  taker: number | undefined;
}

export function tokens(state: State): Token[] {
  return readdirSync(folder(state)).flatMap((file) => {
    const [key, id, taker] = file.split(".");
    if (key === undefined || id === undefined) return [];
    return [{ file, key, id, taker: taker === undefined ? undefined : Number(taker) }];
  });
}

function folder(state: State): string {
  const path = join(state.folder, "pool");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

function rename(state: State, from: string, to: string): boolean {
  try {
    renameSync(join(folder(state), from), join(folder(state), to));
    return true;
  } catch (error) {
    if (errno(error) === "ENOENT") return false;
    throw error;
  }
}
