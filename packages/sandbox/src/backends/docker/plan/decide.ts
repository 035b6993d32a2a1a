import type { NetworkPolicy, SandboxRecord, WorkspaceKind } from "@opentiger/schema";
import type { Limits } from "../../../sandbox.ts";
import type { Image } from "../image/image.ts";
import { findTools, type ImageTools } from "../image/tools.ts";
import type { Place } from "../place.ts";
import { decideCarrier, decideRuntime, refuseImpossible, refuseRootUnderRuntime } from "./carrier.ts";
import type { GitAuthor } from "./git-author.ts";
import { decideIdentity, type Identity } from "./identity.ts";
import { decideLimits, type WantedLimits } from "./limits.ts";
import { decideNetwork } from "./network.ts";

/** What follows from an image, an engine and the owner of a folder, whatever the sandbox is for. */
export interface Decided {
  kind: WorkspaceKind;
  image: Image;
  tools: ImageTools;
  carrier: SandboxRecord["carrier"];
  runtime: string | null;
  identity: Identity;
  home: string;
  author: GitAuthor;
  limits: Limits;
  /** The engine's word for it. */
  networkMode: string;
}

/** Where the worker image keeps what agents install and write; contract A11 names it. */
export const agentHome = "/home/worker";

export async function decide(
  place: Place,
  wanted: {
    kind: WorkspaceKind;
    owner: { uid: number; gid: number; path: string };
    image: Image;
    author: GitAuthor;
    limits: WantedLimits | undefined;
    policy: NetworkPolicy;
  },
): Promise<Decided> {
  const { kind, owner, image, author } = wanted;
  refuseImpossible(kind, place.facts);
  const runtime = decideRuntime(place.env, place.facts);
  const identity = decideIdentity(kind, owner, place.facts);
  refuseRootUnderRuntime(identity, runtime, owner.path);
  const limits = decideLimits(wanted.limits ?? {}, place.facts);
  const networkMode = decideNetwork(wanted.policy, place.env, place.warn);
  const tools = await findTools(place, image);
  const carrier = decideCarrier(kind, place.facts, runtime, tools);
  return { kind, image, tools, carrier, runtime, identity, home: agentHome, author, limits, networkMode };
}
