import type { LaunchFile, LaunchPlace, Permissions } from "../driver.ts";

export interface Confinement {
  arguments: readonly string[];
  env: Readonly<Record<string, string>>;
  files: readonly LaunchFile[];
}

const unconfined: Confinement = {
  arguments: ["--dangerously-bypass-approvals-and-sandbox"],
  env: {},
  files: [],
};

/**
 * What Codex's own sandbox lets its commands do. It knows no list of commands: every command may run, and what it can
 * change is what is confined. With `edits` that is the workspace and a folder for temporary files, without a network,
 * for the verify commands too; with `read` it is nothing. Inside a sandbox of ours it cannot make another one, since
 * there are no namespaces to be had; that sandbox is what confines it, and `read` is asked for in words.
 */
export function confinement({ kind }: Permissions, { backend, folder }: LaunchPlace): Confinement {
  if (kind === "full" || backend !== "host") return unconfined;
  if (kind === "read") return { arguments: ["-c", 'sandbox_mode="read-only"'], env: {}, files: [] };
  const settings = ['sandbox_mode="workspace-write"', "sandbox_workspace_write.exclude_slash_tmp=true"];
  return {
    arguments: settings.flatMap((setting) => ["-c", setting]),
    // In /tmp itself are the folders of other runs.
    env: { TMPDIR: `${folder}/tmp` },
    files: [{ path: "tmp/.keep", content: "" }],
  };
}

/** What the model is told of it: it wastes no turn on what cannot work, and keeps to it where nothing else sees to that. */
export function permissionWords(permissions: Permissions, { backend }: LaunchPlace): string | undefined {
  if (permissions.kind === "full") return undefined;
  if (permissions.kind === "read")
    return "You may read everything here and run commands that only look. Change no file.";
  const commands = permissions.commands.map((command) => `\n- ${command}`).join("");
  const checks =
    commands === "" ? "" : ` To check your work, run these, exactly as they stand here:\n${commands}`;
  const network = backend === "host" ? "; commands have no network" : "";
  return `Change files in this folder only${network}.${checks}`;
}
