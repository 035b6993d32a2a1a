import { collect, type Sandbox, SandboxError } from "@opentiger/sandbox";
import { jsonOf } from "@opentiger/schema";
import { z } from "zod";
import type { LaunchPlace, SessionKeeping } from "../driver.ts";
import { databaseFile, guarded } from "./guard.ts";

/** Far beyond any conversation with a model; a larger one is not kept. */
const largest = 128 * 1024 * 1024;

/** OpenCode starts slowly on a busy machine, and then reads or writes so much. */
const timeoutMs = 120_000;

/** A status that OpenCode does not give. */
const nothingStatus = 41;

const sessionId = /^ses_[A-Za-z0-9]{1,64}$/;

/** Without a database there is nothing to look for, and none shall be made by looking. */
const saveScript = `
umask 077
[ -e "$1/${databaseFile}" ] || exit ${nothingStatus}
opencode export "$2" > "$1/session.json" || exit 1
exec cat "$1/session.json"`;

const restoreScript = `umask 077; cat > "$1/session.json" && exec opencode import "$1/session.json"`;

const guardScript = `umask 077; mkdir -p "$1" && cat > "$1/$2"`;

/** Its own words for an id that it does not know. */
const notFound = /Session not found: /;

/**
 * A conversation is kept as OpenCode itself exports it; its database goes with the run. What it exports is read from a
 * file: to a pipe it writes the beginning only.
 */
export const session: SessionKeeping = {
  async save(sandbox, place, id) {
    if (!sessionId.test(id)) return undefined;
    const { code, stdout, stderr } = await inside(sandbox, place, [saveScript, id]);
    if (code === 0) return exported(id, stdout) ? stdout : undefined;
    if (code === nothingStatus || notFound.test(stderr)) return undefined;
    throw failed("reading", stderr);
  },

  async restore(sandbox, place, id, kept) {
    if (!exported(id, kept))
      throw new SandboxError("internal", `what is kept of ${id} is not a conversation of OpenCode's`);
    const { code, stderr } = await inside(sandbox, place, [restoreScript, id], kept);
    if (code !== 0) throw failed("writing", stderr);
  },
};

const conversation = z.object({ info: z.object({ id: z.string() }), messages: z.array(z.unknown()) });

/** Whether this is the whole of it. */
function exported(id: string, kept: Buffer): boolean {
  return conversation.safeParse(jsonOf(kept.toString("utf8"))).data?.info.id === id;
}

/** Runs OpenCode for something else than a task, as carefully as for one. */
async function inside(
  sandbox: Sandbox,
  place: LaunchPlace,
  [script, id]: readonly [string, string],
  input?: Buffer,
): Promise<Ended> {
  const { env, file } = guarded(place, { projectSettings: "ignored", config: {} });
  const made = await ended(sandbox, ["sh", "-c", guardScript, "sh", place.folder, file.path], {
    env: place.env,
    cwd: place.cwd,
    input: Buffer.from(file.content),
  });
  if (made.code !== 0) throw failed("preparing for", made.stderr);
  return ended(sandbox, ["sh", "-c", script, "sh", place.folder, id], {
    env: { ...place.env, ...env, PWD: place.cwd },
    cwd: place.cwd,
    input,
  });
}

interface Ended {
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

async function ended(
  sandbox: Sandbox,
  command: readonly string[],
  { env, cwd, input }: { env: Readonly<Record<string, string>>; cwd: string; input: Buffer | undefined },
): Promise<Ended> {
  const options = { env: { ...env }, cwd, stdin: input !== undefined, timeoutMs };
  const execution = await sandbox.exec(command, options);
  execution.stdin.on("error", () => {});
  if (input) execution.stdin.end(input);
  const { exit, stdout, stderr } = await collect(execution, largest);
  return { code: exit.code, stdout, stderr: stderr.toString("utf8") };
}

function failed(doing: string, stderr: string): SandboxError {
  const said = stderr.slice(-500).trim();
  return new SandboxError(
    "sandbox_broken",
    `${doing} OpenCode's conversation failed in the sandbox: ${said}`,
    { remedy: "look at the sandbox's disk and at who owns ~/.local/share/opencode" },
  );
}
