import { resolve } from "node:path";
import {
  type FolderMount,
  type NetworkSettings,
  networkSettings,
  type WorkspaceKind,
} from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";
import { imageReference, workerImageName } from "../../../image/name.ts";
import { rewriteLoopback } from "../../../loopback/rewrite.ts";
import type { CreateOptions } from "../../../sandbox.ts";
import { refuseCloneOptions } from "../../../workspace/clone-options.ts";
import { type CheckedWorkspace, checkWorkspaces, type Forbidden } from "../../../workspace/rules.ts";
import { type StartingPoint, startingPoint } from "../../../workspace/starting-point.ts";
import { mainRepositoryOf } from "../../../workspace/worktree.ts";
import { findImage } from "../image/image.ts";
import type { Place } from "../place.ts";
import { type Decided, decide } from "./decide.ts";
import { forbiddenPaths } from "./forbidden.ts";
import { gitAuthor } from "./git-author.ts";
import { checkMounts, refuseUnmountable } from "./mounts.ts";

/** Everything a sandbox will be, decided and checked before anything of it is made. */
export interface Plan extends Decided {
  agent: string;
  workspaces: readonly CheckedWorkspace[];
  /** What linked worktrees among the workspaces need beside them. */
  repositories: readonly CheckedWorkspace[];
  /** Folders of the host that are no workspaces, read-only. */
  mounts: readonly FolderMount[];
  /** clone only: where its commits come from, if that is not the workspace itself. */
  source: string | undefined;
  /** clone only: at which of them it begins. */
  start: StartingPoint | undefined;
  env: Readonly<Record<string, string>>;
  network: NetworkSettings;
  labels: Readonly<Record<string, string>>;
}

/** The facts of the engine come as a promise, so that what needs none of them is refused without an engine. */
export async function planSandbox(
  place: Omit<Place, "facts">,
  facts: Promise<Place["facts"]>,
  options: CreateOptions,
): Promise<Plan> {
  // Awaited below; until then a failure must not count as unhandled.
  facts.catch(() => {});
  const kind = options.workspaceKind ?? "direct";
  refuseContradictions(kind, options);
  const forbidden = forbiddenPaths(place);
  const workspaces = checkWorkspaces(options.workspaces, forbidden);
  const owner = workspaces[0] ?? nobody(place);
  const repositories = kind === "direct" ? linkedRepositories(workspaces, forbidden) : [];
  const mounts = checkMounts(options.mounts ?? [], kind, forbidden);
  const source = options.repository === undefined ? undefined : resolve(options.repository);
  const reference = options.image
    ? imageReference(options.image, place.warn)
    : workerImageName(place.env, place.warn);

  const [known, image, author, start] = await Promise.all([
    facts,
    findImage(place.docker, reference, options),
    gitAuthor(place.env),
    // Found out while the engine is asked, and not when half a sandbox is made.
    kind === "clone" && workspaces.length > 0
      ? startingPoint(source ?? owner.path, options.commit, options.signal)
      : undefined,
  ]);
  refuseUnmountable(mounts, known.location);
  if (known.location === "local") checkWorkspaces(workspaces, { ...forbidden, paths: [known.dataFolder] });
  const { limits, agent, labels = {} } = options;
  const { env, network } = reachingHost(options);
  const { policy } = network;
  const decided = await decide({ ...place, facts: known }, { kind, owner, image, author, limits, policy });
  return { ...decided, agent, workspaces, repositories, mounts, source, start, env, network, labels };
}

/** What its variables say about this machine's loopback is reached through host.docker.internal. */
function reachingHost(options: CreateOptions): Pick<Plan, "env" | "network"> {
  const { env, hostPorts } = rewriteLoopback(options.env ?? {});
  const network = networkSettings.parse(options.network ?? {});
  return { env, network: { ...network, hostPorts: [...new Set([...network.hostPorts, ...hostPorts])] } };
}

function refuseContradictions(kind: WorkspaceKind, options: CreateOptions): void {
  if (kind === "clone" && options.workspaces.length > 1) {
    throw new SandboxError(
      "usage",
      "a clone sandbox has one workspace: nothing else of the host is put into it",
      { remedy: "leave out the other folders, or leave out --clone" },
    );
  }
  if (options.workspaces.length === 0 && kind === "direct") {
    throw new SandboxError("usage", "a sandbox needs a workspace", {
      remedy: "name a folder, for example `.`",
    });
  }
  refuseCloneOptions(kind, options);
  const odd = Object.entries(options.env ?? {}).find(
    ([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"),
  );
  if (odd) {
    throw new SandboxError("usage", `${JSON.stringify(odd[0])} cannot be a variable of a command`, {
      remedy: "names have no = in them and are not empty; values have no NUL",
    });
  }
}

/** A clone without a repository: nothing of the host goes in at all, and it is the caller's. */
export function nobody(place: Pick<Place, "home">): { uid: number; gid: number; path: string } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, path: place.home };
}

function linkedRepositories(
  workspaces: readonly CheckedWorkspace[],
  forbidden: Forbidden,
): CheckedWorkspace[] {
  const found = new Map<string, CheckedWorkspace>();
  for (const workspace of workspaces) {
    const main = mainRepositoryOf(workspace, forbidden);
    if (!main || workspaces.some(({ path }) => path === main.path)) continue;
    // One that is writable for any of them is writable.
    const readOnly = main.readOnly && (found.get(main.path)?.readOnly ?? true);
    found.set(main.path, { ...main, readOnly });
  }
  return [...found.values()];
}
