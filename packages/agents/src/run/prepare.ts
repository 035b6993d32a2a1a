import { posix } from "node:path";
import { type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { Launch, LaunchPlace } from "../driver.ts";
import { notDone, runInside } from "./inside.ts";

/** The run's id makes the name unique; where it is there already somebody else made it. */
const makeFolder =
  'umask 077 && cwd=$(cd -- "$3" && pwd -P) && mkdir -p "$1" && mkdir "$2" && printf "%s\\n" "$HOME" "$cwd"';

/** The same where it is known that nobody uses what is there. */
const makeFolderAnew = `rm -rf -- "$2" && ${makeFolder}`;

const writeFile = 'umask 077 && mkdir -p "$(dirname "$1")" && cat > "$1"';

/** A status that no shell gives by itself. */
const missingStatus = 41;
const findCommand = `command -v -- "$1" > /dev/null || exit ${missingStatus}`;

const stdinFile = "stdin";

/** From a file, so that no word of a prompt is lost with the process that would pass it on. */
const withStdin = 'stdin=$1; shift; exec "$@" < "$stdin"';
/** The same through a pipe; what is left of it goes with the run's folder. */
const withPipe =
  'stdin=$1; shift; mkfifo -m 600 "$stdin.pipe" && { cat "$stdin" > "$stdin.pipe" & exec "$@" < "$stdin.pipe"; }';

/** Makes the run's own folder inside, for the agent alone, and says where its home and its workspace really are. */
export async function makeRunFolder(
  sandbox: Sandbox,
  {
    parent,
    folder,
    cwd,
    env,
    left = "refused",
    signal,
  }: {
    parent: string;
    folder: string;
    cwd: string;
    env: Readonly<Record<string, string>>;
    /** What becomes of one that is there already. */
    left?: "refused" | "removed";
    signal?: AbortSignal | undefined;
  },
): Promise<{ home: string; cwd: string }> {
  const script = left === "removed" ? makeFolderAnew : makeFolder;
  const said = await runInside(sandbox, ["sh", "-c", script, "sh", parent, folder, cwd], { env, signal });
  if (said.exit.code !== 0) throw notDone(`making the folder ${folder}`, said);
  const [home = "", real = cwd] = said.stdout.split("\n");
  return { home, cwd: real };
}

/** Puts what a launch needs where it needs it. Rejects with `cli_missing` where there is no such command. */
export async function putLaunch(
  sandbox: Sandbox,
  place: LaunchPlace,
  launch: Launch,
  { env, signal }: { env: Readonly<Record<string, string>>; signal?: AbortSignal | undefined },
): Promise<void> {
  const files = launch.files.map(({ path, content }) => ({ path: below(place.folder, path), content }));
  if (launch.stdin !== "") files.push({ path: posix.join(place.folder, stdinFile), content: launch.stdin });
  await Promise.all([
    refuseMissing(sandbox, place, launch, { env, signal }),
    ...files.map(({ path, content }) => putFile(sandbox, path, content, signal)),
  ]);
}

/** The command as it is started: with the prompt as its stdin where it has one, else with nothing to read. */
export function launchedCommand(
  place: LaunchPlace,
  { command, stdin, stdinBy = "file" }: Launch,
): readonly string[] {
  if (stdin === "") return command;
  const script = stdinBy === "pipe" ? withPipe : withStdin;
  return ["sh", "-c", script, "sh", posix.join(place.folder, stdinFile), ...command];
}

export async function removeRunFolder(
  sandbox: Sandbox,
  { folder }: Pick<LaunchPlace, "folder">,
): Promise<void> {
  await runInside(sandbox, ["rm", "-rf", "--", folder]);
}

async function putFile(
  sandbox: Sandbox,
  path: string,
  content: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const said = await runInside(sandbox, ["sh", "-c", writeFile, "sh", path], { input: content, signal });
  if (said.exit.code !== 0) throw notDone(`writing ${path}`, said);
}

async function refuseMissing(
  sandbox: Sandbox,
  { cwd }: LaunchPlace,
  { command: [name = ""] }: Launch,
  { env, signal }: { env: Readonly<Record<string, string>>; signal?: AbortSignal | undefined },
): Promise<void> {
  const said = await runInside(sandbox, ["sh", "-c", findCommand, "sh", name], { env, cwd, signal });
  if (said.exit.code === 0) return;
  if (said.exit.code !== missingStatus) throw notDone(`looking for ${name}`, said);
  const where = sandbox.backend === "host" ? "on this machine" : "in the sandbox";
  throw new SandboxError("cli_missing", `there is no command ${name} ${where}`, {
    remedy: sandbox.backend === "host" ? "install it, or run in a sandbox" : "use an image that has it",
  });
}

/** A driver names its files within the run's folder; anything else is a mistake in it. */
function below(folder: string, path: string): string {
  const whole = posix.join(folder, path);
  if (!posix.isAbsolute(path) && whole.startsWith(`${folder}/`)) return whole;
  throw new SandboxError("internal", `a file of a launch is not within the run's folder: ${path}`);
}
