import type { Ref } from "./bundle.ts";
import { git } from "./host-git.ts";
import { sandboxRefs } from "./ref-names.ts";
import type { Repository } from "./repository.ts";

/** What earlier fetches brought. */
export async function fetchedRefs(repository: Repository, sandboxName: string): Promise<Ref[]> {
  const format = "--format=%(objectname) %(refname)";
  const listed = await git(repository.path, ["for-each-ref", format, sandboxRefs(sandboxName)]);
  return listed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ oid: line.slice(0, line.indexOf(" ")), name: line.slice(line.indexOf(" ") + 1) }));
}

/**
 * Sets the refs of a sandbox, all or none. A branch that is gone inside stays as it was fetched: nobody loses
 * work because an agent deleted a branch. Only where its name is now a folder of others must it go.
 */
export async function setRefs(
  repository: Repository,
  refs: readonly Ref[],
  fetched: readonly Ref[],
): Promise<void> {
  const before = new Map(fetched.map(({ name, oid }) => [name, oid]));
  const inTheWay = fetched.filter(({ name }) => refs.some((ref) => conflict(name, ref.name)));
  await update(
    repository,
    inTheWay.map(({ name, oid }) => `delete ${name} ${oid}\n`),
  );
  const none = "0".repeat(repository.format === "sha1" ? 40 : 64);
  const changed = refs.filter(({ name, oid }) => before.get(name) !== oid);
  await update(
    repository,
    changed.map(({ name, oid }) => `update ${name} ${oid} ${before.get(name) ?? none}\n`),
  );
}

async function update(repository: Repository, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await git(repository.path, ["update-ref", "--no-deref", "--stdin"], {
    input: `start\n${lines.join("")}commit\n`,
  });
}

function conflict(one: string, other: string): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
