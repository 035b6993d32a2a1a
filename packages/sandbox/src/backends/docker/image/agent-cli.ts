import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@opentiger/schema";
import { z } from "zod";
import { SandboxError } from "../../../errors.ts";
import { workerImageName } from "../../../image/name.ts";
import { templates } from "../../../image/templates.ts";
import { writeAtomically } from "../../../state/atomic-file.ts";
import { stateFolder } from "../../../state/folder.ts";
import { openState, type State } from "../../../state/state.ts";
import { defaultHome } from "../../../workspace/rules.ts";
import { connectEngine } from "../engine/engine.ts";
import { asSandboxError, sentenceOf, statusOf } from "../engine/errors.ts";
import type { Place } from "../place.ts";
import { type Image, inspectImage, missingImage } from "./image.ts";
import { withThrowaway } from "./throwaway.ts";

export interface AgentCliQuestion {
  agent: AgentName;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Default: the one that sandboxes are made from. */
  image?: string;
  context?: string;
}

/** The CLI of an agent, as an image has it. */
export interface AgentCli {
  image: string;
  /** In the CLI's own words. */
  version: string;
}

/**
 * Whether a sandbox could be made and would have the agent's CLI in it: the engine answers, the image is there, and the
 * CLI in it starts. Rejects with which of these is not so. Nothing is pulled, and no container is left.
 */
export async function findAgentCli(question: AgentCliQuestion): Promise<AgentCli> {
  const { env, context, signal } = question;
  const engine = connectEngine({
    env,
    home: defaultHome(env),
    ...(context === undefined ? {} : { context }),
  });
  try {
    const { docker } = engine;
    const facts = await engine.facts(signal);
    const reference = question.image ?? workerImageName(env, () => {});
    const image = await inspectImage(docker, reference, signal);
    if (!image) throw missingImage(reference);
    const place = { docker, facts, state: openState(stateFolder(env)) };
    return { image: reference, version: await versionIn(place, image, question) };
  } catch (error) {
    throw asSandboxError(error, engine.address);
  }
}

const answer = z.object({ path: z.string().nullable(), version: z.string().nullable() });
type Answer = z.infer<typeof answer>;

/** Looked at once for each image and CLI: an image's id names its content. */
async function versionIn(
  place: Pick<Place, "docker" | "state" | "facts">,
  image: Image,
  { agent, signal }: AgentCliQuestion,
): Promise<string> {
  const { binary } = templates[agent];
  const file = join(cacheFolder(place.state), `${image.id.replace(/^sha256:/, "")}.${binary}.json`);
  const known = readCached(file);
  const found = known ?? (await look(place, image, binary, signal));
  if (!known) writeAtomically(file, `${JSON.stringify(found)}\n`);
  if (found.version !== null) return found.version;
  const what = found.path === null ? `has no ${binary}` : `has a ${binary} that does not start`;
  throw cliMissing(image, what);
}

/** As an agent would start it: not as root, with a home of its own, without a network. */
async function look(
  place: Pick<Place, "docker" | "state" | "facts">,
  image: Image,
  binary: string,
  signal: AbortSignal,
): Promise<Answer> {
  const run = { image: image.id, script: script(binary), user: "1000:1000", signal };
  const output = await withThrowaway(place, run, async (_container, text) => text).catch((error: unknown) => {
    const shellLess = [400, 500].includes(statusOf(error) ?? 0);
    if (shellLess && /no such file|not found|exec format/i.test(sentenceOf(error)))
      throw cliMissing(image, "cannot run /bin/sh");
    throw error;
  });
  const value = (key: string) =>
    new RegExp(`^${key}=(.+)$`, "m").exec(output)?.[1]?.trim().slice(0, 200) ?? null;
  if (value("asked") === binary) return { path: value("path"), version: value("version") };
  throw new SandboxError("sandbox_broken", `the image ${image.reference} could not be looked into`, {
    remedy: "opentiger image build",
  });
}

const script = (binary: string): string => `
export HOME=/tmp
echo "path=$(command -v ${binary})"
echo "version=$(${binary} --version 2>/dev/null)"
echo "asked=${binary}"
`;

function cliMissing({ reference }: Image, what: string): SandboxError {
  return new SandboxError("cli_missing", `the image ${reference} ${what}`, {
    remedy: "opentiger image build puts all agents in; for an image of your own, install it there",
  });
}

function cacheFolder(state: State): string {
  const folder = join(state.folder, "images");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function readCached(path: string): Answer | undefined {
  try {
    return answer.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}
