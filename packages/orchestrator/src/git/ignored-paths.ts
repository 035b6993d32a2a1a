import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scratchName } from "./bare-repository.ts";
import { objectContents } from "./objects.ts";
import type { OwnGit } from "./own-git.ts";
import { bytesOf, isOddName, pathOf } from "./path-bytes.ts";
import { records } from "./records.ts";
import { listTree } from "./tree-listing.ts";

/** More than any repository has by hand. */
const mostFiles = 2_000;

/** The status by which git says that it ignores none of them. */
const nothingIgnored = 1;

/**
 * Which of these paths git leaves out of commits by the .gitignore files of a commit. It is asked in a folder of ours that
 * has nothing but those in it, and nobody's own settings have a say.
 */
export async function ignoredPaths(own: OwnGit, commit: string, paths: readonly string[]): Promise<string[]> {
  const listed = paths.length === 0 ? [] : await listTree(own, commit, ["**/.gitignore"]);
  const files = listed
    .filter(({ mode, path }) => mode.startsWith("100") && !isOddName(path))
    .slice(0, mostFiles);
  if (files.length === 0) return [];
  const contents = await objectContents(
    own,
    files.map(({ oid }) => oid),
  );
  const folder = join(own.path, scratchName, `ignored-${randomBytes(6).toString("hex")}`);
  try {
    for (const { path, oid } of files) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await writeFile(target, contents.get(oid) ?? "", { flag: "wx", mode: 0o600 });
    }
    const found: string[] = [];
    for await (const record of records(asked(own, folder, paths)))
      found.push(pathOf(record).slice(here.length));
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function asked(own: OwnGit, folder: string, paths: readonly string[]): AsyncIterable<Buffer> {
  const settings = ["-c", "core.excludesFile=/dev/null", `--work-tree=${folder}`];
  return own.stream([...settings, "check-ignore", "--no-index", "-z", "--stdin"], {
    input: named(paths),
    // This command takes no literal paths; with a folder in front nothing in them has a meaning of its own.
    pathspecs: "magic",
    allow: [nothingIgnored],
  });
}

const here = "./";

async function* named(paths: readonly string[]): AsyncGenerator<Buffer, void> {
  for (const path of paths) yield Buffer.concat([Buffer.from(here), bytesOf(path), Buffer.from([0])]);
}
