import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type Docker from "dockerode";
import { z } from "zod";
import { writeOnce } from "../../../state/atomic-file.ts";
import { creatorLives } from "../../../state/creator.ts";
import type { State } from "../../../state/state.ts";
import { statusOf } from "../engine/errors.ts";
import { labels } from "../labels.ts";
import type { Place } from "../place.ts";

const note = z.object({ creatorPid: z.number().int(), createdAt: z.string(), engine: z.string() });

export interface ThrowawayRun {
  image: string;
  script: string;
  /** Default: root. */
  user?: string;
  /** Ends the waiting for the script; the container is removed in any case. */
  signal?: AbortSignal | undefined;
}

/** An engine that is asked to remove a container and does not is not waited for: prune finds the note. */
const removalMs = 30_000;

/**
 * Runs a script once in a container of an image, without network and with hardly any right, and hands over what it
 * printed while the container is still there to copy from. A note in the state folder is written before the
 * container is made and removed after it, so that a crash in between leaves nothing that prune does not find.
 */
export async function withThrowaway<T>(
  place: Pick<Place, "docker" | "state" | "facts">,
  run: ThrowawayRun,
  use: (container: Docker.Container, output: string) => Promise<T>,
): Promise<T> {
  const name = `opentiger-look-${randomBytes(8).toString("hex")}`;
  const path = join(notesFolder(place.state), name);
  const written = { creatorPid: process.pid, createdAt: new Date().toISOString(), engine: place.facts.id };
  writeOnce(path, JSON.stringify(written));
  try {
    // Not given up half-way: what the engine makes after we stopped listening would be nobody's.
    const container = await place.docker.createContainer(configuration(name, run, place.state));
    run.signal?.throwIfAborted();
    await container.start();
    await container.wait(run.signal ? { abortSignal: run.signal } : {});
    const log = await container.logs({ stdout: true, stderr: true, follow: false });
    return await use(container, log.toString("utf8").replaceAll("\r\n", "\n"));
  } finally {
    await removeByName(place.docker, name);
    rmSync(path, { force: true });
  }
}

/** Removes what processes that died in the middle left behind on this engine. */
export async function collectThrowaways(place: Place): Promise<void> {
  const folder = notesFolder(place.state);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const parsed = note.safeParse(readJson(path));
    if (!parsed.success || parsed.data.engine !== place.facts.id || creatorLives(parsed.data)) continue;
    await removeByName(place.docker, name);
    rmSync(path, { force: true });
  }
}

function notesFolder(state: State): string {
  const folder = join(state.folder, "throwaways");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function configuration(name: string, run: ThrowawayRun, state: State): Docker.ContainerCreateOptions {
  return {
    name,
    Image: run.image,
    Entrypoint: ["/bin/sh"],
    Cmd: ["-c", run.script],
    User: run.user ?? "0:0",
    WorkingDir: "/",
    // One raw stream of output; without a terminal the engine would frame it.
    Tty: true,
    Labels: {
      [labels.instance]: state.instance,
      [labels.owner]: String(process.getuid?.() ?? ""),
      [labels.throwaway]: "true",
    },
    HostConfig: {
      NetworkMode: "none",
      CapDrop: ["ALL"],
      CapAdd: ["SETUID", "SETGID"],
      SecurityOpt: ["no-new-privileges"],
      Memory: 512 * 1024 * 1024,
      PidsLimit: 64,
      LogConfig: { Type: "json-file", Config: { "max-size": "1m" } },
    },
  };
}

async function removeByName(docker: Docker, name: string): Promise<void> {
  try {
    const abortSignal = AbortSignal.timeout(removalMs);
    await docker.getContainer(name).remove({ force: true, v: true, abortSignal });
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
