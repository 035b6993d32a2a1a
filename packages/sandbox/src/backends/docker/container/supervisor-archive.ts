import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import type Docker from "dockerode";
import { pack } from "tar-stream";
import { insidePaths } from "../../../protocol/paths.ts";
import { supervisorBundle } from "../../../state/supervisor-file.ts";

/** Copies the supervisor into a container that is not running yet, where no file of ours can be mounted. */
export async function copySupervisorIn(container: Docker.Container): Promise<void> {
  const archive = pack();
  const folder = posix.dirname(insidePaths.supervisor).slice(1);
  archive.entry({ name: `${folder}/`, type: "directory", mode: 0o755, uid: 0, gid: 0 });
  archive.entry(
    { name: insidePaths.supervisor.slice(1), mode: 0o444, uid: 0, gid: 0 },
    readFileSync(supervisorBundle()),
  );
  archive.finalize();
  await container.putArchive(await buffer(archive), { path: "/" });
}
