import { z } from "zod";
import { defaultNetworkSettings, networkPolicy, networkSettings } from "./network.ts";

/** Letters, digits and `- _ . +`, as the `docker sandbox` plugin had it; at most 63, so that it fits a label. */
export const sandboxName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.+-]{0,62}$/,
    "letters, digits and - _ . +, starting with a letter or digit, at most 63",
  );

export const agentNames = [
  "claude",
  "codex",
  "opencode",
  "copilot",
  "gemini",
  "kiro",
  "cagent",
  "shell",
] as const;
export const agentName = z.enum(agentNames);
export type AgentName = z.infer<typeof agentName>;

export const backendNames = ["docker", "host"] as const;
export type BackendName = (typeof backendNames)[number];

/** One folder of the host inside a sandbox, at the same absolute path. */
export const workspaceMount = z.object({ path: z.string(), readOnly: z.boolean() });
export type WorkspaceMount = z.infer<typeof workspaceMount>;

/** A folder of the host at another path inside; always read-only. */
export const folderMount = z.object({ source: z.string(), target: z.string() });
export type FolderMount = z.infer<typeof folderMount>;

/** direct: the host's folder itself. clone: a private copy of the repository, nothing of the host mounted. */
export const workspaceKind = z.enum(["direct", "clone"]);
export type WorkspaceKind = z.infer<typeof workspaceKind>;

export const sandboxStatus = z.enum(["running", "paused", "stopped", "creating", "broken"]);
export type SandboxStatus = z.infer<typeof sandboxStatus>;

/** One line of `ls`. */
export const sandboxSummary = z.object({
  name: z.string(),
  id: z.string(),
  agent: z.string(),
  backend: z.enum(backendNames),
  status: sandboxStatus,
  workspaceKind,
  workspaces: z.array(workspaceMount),
  image: z.string(),
  createdAt: z.string(),
  /** null where another instance made it and knows. */
  network: networkPolicy.nullable(),
  /** Why we paused it. */
  reason: z.string().optional(),
  /** false when another instance or user of this engine made it: shown, never touched. */
  own: z.boolean(),
});
export type SandboxSummary = z.infer<typeof sandboxSummary>;

/** What changes after creation. One atomic file per sandbox; fixed facts are labels of the container. */
export const sandboxRecord = z.object({
  version: z.literal(1),
  id: z.string(),
  containerId: z.string().nullable(),
  name: sandboxName,
  state: z.enum(["creating", "parked", "adopted", "removing"]),
  agent: z.string(),
  workspaceKind,
  workspaces: z.array(workspaceMount),
  /** What else of the host it sees. */
  mounts: z.array(folderMount).optional(),
  /**
   * clone only: the workspace's repository and the commit at which it started, null where there was none yet; and
   * where the commits came from, if that is another repository of the host's.
   */
  repository: z
    .object({ path: z.string(), commit: z.string().nullable(), source: z.string().optional() })
    .nullable(),
  createdAt: z.string(),
  adoptedAt: z.string().nullable(),
  creatorPid: z.number().int(),
  /** Which engine holds the container: after a change of context a record is elsewhere, not abandoned. */
  engine: z.string(),
  /** By which address it was reached then: by the same one it is the same engine, without asking it. */
  engineAddress: z.string().optional(),
  image: z.string(),
  /** The files it had when its container was made anew: an image of its own, which goes with it. */
  ownImage: z.string().optional(),
  /** How the supervisor is reached; `engine-exec` where the image has no place for one. */
  carrier: z.enum(["socket", "exec-stdio", "engine-exec"]),
  isolation: z.enum(["separate-uid", "agent-root", "none"]),
  /** Whom commands run as. */
  user: z.object({ uid: z.number().int(), gid: z.number().int(), home: z.string() }),
  /** What every command has in its environment, as the sandbox's creator said. Only here: the engine never sees it. */
  env: z.record(z.string(), z.string()),
  /** What it may reach, and how. */
  network: networkSettings.default(defaultNetworkSettings),
  /** Why we paused it, where we did: it goes on when the user says so. */
  paused: z.object({ reason: z.string(), at: z.string() }).nullable().default(null),
  /** Ports of the host's loopback that lead to ports inside. */
  ports: z.array(z.object({ inside: z.number().int(), published: z.number().int() })).default([]),
});
export type SandboxRecord = z.infer<typeof sandboxRecord>;
