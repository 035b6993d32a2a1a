import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ended, User } from "./command-line.ts";
import { soak } from "./soak.ts";

export interface Refusal {
  code: string;
  status: number;
  /** What the sentence must name. */
  says?: RegExp;
}

/** What was refused to a person already: each kind of refusal has one form for all its causes. */
const seen = new Set<string>();

/**
 * Runs a command that must fail, as a machine would: its own exit code, the error as JSON with a remedy, and nothing
 * left on the engine or in the state folder. The first of each kind is also refused to a person: a sentence and a remedy
 * on stderr, and nothing on stdout.
 */
export async function expectRefused(
  user: User,
  words: readonly string[],
  { code, status, says }: Refusal,
  run: (words: readonly string[]) => Promise<Ended> = (each) => user.opentiger("sandbox", ...each),
): Promise<void> {
  const before = traces(user);
  const form = `${words[0]} ${code}`;
  if (soak || !seen.has(form)) {
    const text = await run(words);
    expect(text, words.join(" ")).toMatchObject({ status, stdout: "" });
    expect(text.stderr).toMatch(/^(opentiger|docker sandbox): \S.*\n {2}→ \S/m);
    if (says) expect(text.stderr).toMatch(says);
    seen.add(form);
  }
  const json = await run(withJson(words));
  expect(json.status, json.stderr).toBe(status);
  const last = json.stderr.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({ error: { code, remedy: expect.stringMatching(/\S/) } });
  if (says) expect(last).toMatch(says);
  expect(traces(user)).toEqual(before);
}

/** Before the sandbox's name, as exec wants it. */
function withJson([verb = "", ...rest]: readonly string[]): string[] {
  return [verb, "--json", ...rest];
}

/** What exists because of this user: containers, records, sockets, temporary files. */
function traces({ home, env }: User): string[] {
  const state = env["OPENTIGER_HOME"] ?? join(home, ".local", "state", "opentiger");
  return [...containersOf(state), ...filesBelow(state)].toSorted();
}

function containersOf(state: string): string[] {
  const instance = readIfThere(join(state, "instance"));
  if (!instance) return [];
  const filter = `label=opentiger.instance=${instance.trim()}`;
  return execFileSync("docker", ["ps", "-aq", "--no-trunc", "--filter", filter], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

/** The files that are made once, for whatever comes first, and the daemon's own are not traces of a failure. */
const unrelated = ["supervisor/", "images/", "sandboxd/", "c/sandboxd.sock"];

function filesBelow(state: string): string[] {
  try {
    const paths = readdirSync(state, { recursive: true, encoding: "utf8" });
    return paths.filter((path) => path.includes("/") && !unrelated.some((start) => path.startsWith(start)));
  } catch {
    return [];
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
