import { buffer } from "node:stream/consumers";
import type { SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { extract, pack } from "tar-stream";
import { gitSettings } from "../../../protocol/git-settings.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * Makes a fresh container fit for the agent's uid where no supervisor can: entries in passwd and group, a HOME and
 * workspace folders that the agent owns, git's settings. It is done from outside, by an archive with owners in it.
 */
export async function prepareByArchive(
  container: Docker.Container,
  plan: Plan,
  record: SandboxRecord,
): Promise<void> {
  const { uid, gid, home } = record.user;
  const [passwd, group, gitconfig] = await Promise.all(
    ["/etc/passwd", "/etc/group", "/etc/gitconfig"].map((path) => readFile(container, path)),
  );
  const archive = pack();
  const file = (name: string, text: string) => archive.entry({ name, mode: 0o644, uid: 0, gid: 0 }, text);
  if (!hasId(passwd, uid)) file("etc/passwd", `${passwd ?? ""}agent:x:${uid}:${gid}:agent:${home}:/bin/sh\n`);
  if (!hasId(group, gid)) file("etc/group", `${group ?? ""}agent:x:${gid}:\n`);
  file("etc/gitconfig", `${gitconfig ?? ""}${gitSettings(plan.author)}`);
  const owned = plan.kind === "clone" ? plan.workspaces.map(({ path }) => path) : [];
  for (const folder of [home, ...owned]) {
    archive.entry({ name: `${folder.slice(1)}/`, type: "directory", mode: 0o755, uid, gid });
  }
  archive.finalize();
  await container.putArchive(await buffer(archive), { path: "/" });
}

function hasId(table: string | undefined, id: number): boolean {
  return (table ?? "").split("\n").some((line) => line.split(":")[2] === String(id));
}

/** undefined when the image has no such file. */
async function readFile(container: Docker.Container, path: string): Promise<string | undefined> {
  try {
    const archive = await container.getArchive({ path });
    const files = extract();
    archive.pipe(files);
    for await (const entry of files) {
      const chunks: Buffer[] = [];
      // A tar entry gives buffers; its iterator is typed as any.
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks).toString("utf8");
    }
  } catch {
    // Not there.
  }
  return undefined;
}
