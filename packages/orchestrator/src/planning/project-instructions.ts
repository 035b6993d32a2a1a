import type { ProjectInstructions } from "@opentiger/agents";
import { Remembered } from "../git/remembered.ts";
import type { LoopRepository } from "../git/repository.ts";

/** Where projects tell agents how they work. */
const files = ["AGENTS.md", "CLAUDE.md"] as const;

/** Longer ones are cut: they are for people too, and a prompt has an end. */
const longest = 100_000;

/** They may be long, and all tasks of a loop have the same. */
const known = new Remembered<ProjectInstructions[]>(16);

/** What the base commit says to agents, and not what stands in a tree that an agent wrote. */
export async function projectInstructions({
  repository,
  baseOid,
}: {
  repository: Pick<LoopRepository, "path" | "readFile">;
  baseOid: string;
}): Promise<ProjectInstructions[]> {
  return known.answer(`${repository.path} ${baseOid}`, () => read(repository, baseOid));
}

async function read(
  repository: Pick<LoopRepository, "readFile">,
  baseOid: string,
): Promise<ProjectInstructions[]> {
  const found = await Promise.all(
    files.map(async (path) => ({ path, text: await repository.readFile(baseOid, path) })),
  );
  return found.flatMap(({ path, text }) =>
    text === undefined ? [] : [{ path, text: text.toString("utf8").slice(0, longest) }],
  );
}
