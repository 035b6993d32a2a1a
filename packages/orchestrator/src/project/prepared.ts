import { type Backend, DockerBackend } from "@opentiger/sandbox";
import type { NetworkSettings } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { findPrepared, touchPrepared } from "../state/prepared-images.ts";
import { type BaseImage, baseImage } from "./base-image.ts";
import { phaseNetwork } from "./network.ts";
import { withPreparation } from "./preparation-lock.ts";
import { prepareImage } from "./prepare-image.ts";
import type { Prepared, PrepareRequest } from "./prepare-request.ts";
import { type PreparedKey, preparedKey } from "./prepared-key.ts";
import { prunePrepared } from "./prune-prepared.ts";
import { setupAt } from "./setup-at.ts";

export type { Prepared, PrepareRequest } from "./prepare-request.ts";

/**
 * The image on which the project's set-up is done, made where there is none for its key. Of several who ask for the same
 * at the same time, in whatever processes, one makes it and the others wait for it. A process that is killed meanwhile
 * leaves nothing but a sandbox of its loop's, which the next attempt or the loop's end removes.
 */
export async function ensurePrepared(place: Place, request: PrepareRequest): Promise<Prepared> {
  const { signal, say } = request;
  const wanted = await wantedFromHere(place, request);
  const { key } = wanted;
  const known = await findWanted(place, request, wanted);
  if (known) return known;
  const backend = dockerOf(await place.backend(request.environment));
  // A loop has one sandbox to be set up in: where its branch got other lock files meanwhile, one comes after the other.
  return withPreparation(place.database, [key, request.loop.id], { signal, say }, async () => {
    const made = await findWanted(place, request, wanted);
    if (made) return made;
    const prepared = await prepareImage(place, backend, { ...request, ...wanted });
    await prunePrepared(place, backend, key);
    return prepared;
  });
}

/** The same, where nothing has to be made for it; undefined where the set-up is still to be done. */
export async function knownPrepared(place: Place, request: WantedRequest): Promise<Prepared | undefined> {
  return findWanted(place, request, await wantedImage(place, request));
}

/** What a set-up at this commit is known by, whether it was done or not. */
export async function preparedKeyAt(place: Place, request: WantedRequest): Promise<string> {
  return (await wantedImage(place, request)).key;
}

interface WantedImage extends PreparedKey {
  setup: readonly string[];
  base: BaseImage;
  network: NetworkSettings;
}

/** On the host there is nothing to be waited for. */
const noImage: BaseImage = { reference: "", id: "", isHere: true, bytes: 0 };

type WantedRequest = Omit<PrepareRequest, "signal" | "say">;

/** What is to be started from is there afterwards: known by its name at first, it would have another key once it was pulled. */
async function wantedFromHere(place: Place, request: PrepareRequest): Promise<WantedImage> {
  const { environment, signal, say } = request;
  const wanted = await wantedImage(place, request);
  if (wanted.base.isHere) return wanted;
  const backend = dockerOf(await place.backend(environment));
  await backend.bringImage(wanted.base.reference, { signal, onProgress: say });
  return wantedImage(place, request);
}

async function wantedImage(place: Place, request: WantedRequest): Promise<WantedImage> {
  const { environment, loop, repository, commit } = request;
  const setup = await setupAt(repository, request.project, commit);
  const project = { ...request.project, setup };
  const network = phaseNetwork(place, loop, project, "setup");
  const base = environment === "host" ? noImage : await baseImage(place, project);
  const { folder } = place;
  const about = { folder, environment, base: base.id, repository, loop, commit, project, network };
  return { ...(await preparedKey(about)), setup, base, network };
}

async function findWanted(
  place: Place,
  { environment }: WantedRequest,
  { key, setup, base }: WantedImage,
): Promise<Prepared | undefined> {
  if (environment === "host" || setup.length === 0) return { image: null, key, setup, notes: [] };
  const image = await findUsable(place, dockerOf(await place.backend(environment)), key, base);
  return image === undefined ? undefined : { image, key, setup, notes: [] };
}

/** The row says what it is called; the engine, whether it is still there. One that is being removed is none. */
async function findUsable(
  { database }: Pick<Place, "database">,
  backend: DockerBackend,
  key: string,
  base: BaseImage,
): Promise<string | undefined> {
  const row = await findPrepared(database, key);
  const image = row && (await backend.images.find(row.reference));
  if (!image) return undefined;
  const isKept = await touchPrepared(database, key, Math.max(0, image.bytes - base.bytes));
  return isKept ? image.reference : undefined;
}

function dockerOf(backend: Backend): DockerBackend {
  if (backend instanceof DockerBackend) return backend;
  throw new OrchestratorError("internal", `the backend ${backend.kind} has no images`);
}
