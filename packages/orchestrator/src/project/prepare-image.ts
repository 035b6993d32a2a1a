import type { DockerBackend, Sandbox } from "@opentiger/sandbox";
import type { NetworkSettings } from "@opentiger/schema";
import type { Place } from "../place.ts";
import { leftToOthers } from "../stage/lease-lost.ts";
import { expectPrepared, touchPrepared } from "../state/prepared-images.ts";
import type { BaseImage } from "./base-image.ts";
import { sandboxLimits } from "./limits.ts";
import type { Prepared, PrepareRequest } from "./prepare-request.ts";
import type { PreparedKey } from "./prepared-key.ts";
import { removeSandbox, removeSeen } from "./remove-sandbox.ts";
import { sandboxName } from "./sandbox-name.ts";
import { setupIn } from "./setup.ts";

export interface Preparation extends PrepareRequest, PreparedKey {
  setup: readonly string[];
  base: BaseImage;
  network: NetworkSettings;
}

/**
 * Does the set-up in a sandbox of the loop's and keeps its files as an image. No agent is in it and it is given no credential,
 * so there is none that could be kept. The sandbox goes, whatever comes of it; only where we are told to stop it
 * stays, since it may be another's by then.
 */
export async function prepareImage(
  place: Place,
  backend: DockerBackend,
  preparation: Preparation,
): Promise<Prepared> {
  const { loop, project, key, setup, base, signal, say } = preparation;
  const name = sandboxName({ loop: loop.id, kind: "prepare" });
  const reference = `opentiger/prepared:${key}`;
  await removeSandbox(backend, name);
  say(`setting the project up in ${base.reference}`);
  const sandbox = await create(backend, name, preparation);
  try {
    const timeoutMs = place.config.get("OPENTIGER_SETUP_TIMEOUT");
    const { notes } = await closing(sandbox, () =>
      setupIn(
        sandbox,
        { ...project, setup },
        { timeoutMs, execId: `setup-${key.slice(0, 16)}`, signal, say },
      ),
    );
    signal.throwIfAborted();
    await expectPrepared(place.database, { key, reference, base });
    // By its id: another of this name may be the next one's, who is not done with it yet.
    await backend.save(name, reference, { id: sandbox.id });
    const image = await backend.images.find(reference);
    await touchPrepared(place.database, key, Math.max(0, (image?.bytes ?? 0) - base.bytes));
    return { image: reference, key, setup, notes };
  } finally {
    if (!leftToOthers(signal)) await removeSeen(backend, sandbox);
  }
}

function create(backend: DockerBackend, name: string, preparation: Preparation): Promise<Sandbox> {
  const { repository, project, commit, base, network, signal, say } = preparation;
  return backend.create({
    name,
    agent: "shell",
    workspaces: [{ path: repository.userPath, readOnly: false }],
    workspaceKind: "clone",
    repository: repository.path,
    commit,
    image: base.reference,
    limits: sandboxLimits(project),
    network,
    env: project.env,
    signal,
    onProgress: say,
  });
}

async function closing<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await sandbox.close();
  }
}
