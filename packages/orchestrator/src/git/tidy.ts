import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { withFileLock } from "@opentiger/sandbox";
import { scratchName } from "./bare-repository.ts";
import { maintenanceLock } from "./import-base.ts";
import type { OwnGit } from "./own-git.ts";

/** Longer than any one operation may take, by far: what is older belongs to somebody who was killed. */
const abandonedMs = 24 * 60 * 60 * 1000;

/** Of what no pin keeps. A stage that goes on after a long wait has pinned what it needs. */
const keptObjects = "2.weeks.ago";

/** What git leaves when it is killed, besides what it cleans up itself. */
const locks = ["shallow.lock", "packed-refs.lock", "HEAD.lock", "config.lock"];

/** Drops objects that nobody needs any more and what the killed have left. One process at a time, others go on. */
export async function tidyRepository(own: OwnGit): Promise<void> {
  await withFileLock(
    maintenanceLock(own),
    async () => {
      await removeAbandoned(own.path, (name) => locks.includes(name));
      for (const folder of [scratchName, "refs/sandboxes"])
        await removeAbandoned(join(own.path, folder), () => true);
      await own.run(["gc", "--quiet", `--prune=${keptObjects}`]);
    },
    { code: "git_failed", signal: own.signal },
  );
}

async function removeAbandoned(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter(isOurs);
  for (const name of names) {
    const path = join(folder, name);
    const changed = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - changed > abandonedMs) await rm(path, { recursive: true, force: true });
  }
}
