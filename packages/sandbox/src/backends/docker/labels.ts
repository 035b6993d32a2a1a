/**
 * Fixed facts of a container, for people and for other tools. They are hints: a container may copy them, so what is
 * ours is decided by records alone.
 */
export const labels = {
  sandbox: "docker/sandbox",
  agent: "com.docker.sandbox.agent",
  workingDirectory: "com.docker.sandbox.workingDirectory",
  instance: "opentiger.instance",
  owner: "opentiger.owner",
  id: "opentiger.sandbox",
  name: "opentiger.name",
  workspaceKind: "opentiger.workspace-kind",
  workspaces: "opentiger.workspaces",
  image: "opentiger.image",
  isolation: "opentiger.isolation",
  created: "opentiger.created",
  throwaway: "opentiger.throwaway",
  /** Of an image that was saved: by which note, and where the clone in it stands. */
  saved: "opentiger.saved",
  clone: "opentiger.clone",
} as const;

export const labelNames: readonly string[] = Object.values(labels);
