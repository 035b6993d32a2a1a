import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connectDocker } from "../../packages/sandbox/src/backends/docker/docker-backend.ts";
import type { Backend, CreateOptions, Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { atEnd } from "./at-end.ts";
import { workerImage } from "./docker.ts";
import { knowImages } from "./known-images.ts";
import { temporaryFolder } from "./temporary-workspace.ts";

/** One openTiger with a state folder of its own; at the end of the test file its sandboxes are gone. */
export interface Instance {
  backend: Backend;
  /** The state folder. */
  home: string;
  env: NodeJS.ProcessEnv;
}

/** Who commits in sandboxes: a machine may have no name of its user's. */
const gitAuthor = fileURLToPath(new URL("./git-author.gitconfig", import.meta.url));

export async function newInstance(env: NodeJS.ProcessEnv = process.env): Promise<Instance> {
  const home = temporaryFolder("ot-");
  const own = { ...env, OPENTIGER_HOME: home, GIT_CONFIG_GLOBAL: gitAuthor };
  const backend = await connectDocker({ env: own });
  atEnd(async () => {
    await backend.reset();
    rmSync(home, { recursive: true, force: true });
  });
  await knowImages(home);
  return { backend, home, env: own };
}

/** A sandbox of this instance with one workspace, for attacks: nothing is pulled, nothing is asked. */
export async function newSandbox(
  { backend }: Pick<Instance, "backend">,
  workspace: string,
  options: Partial<CreateOptions> = {},
): Promise<Sandbox> {
  const workspaces = [{ path: workspace, readOnly: false }];
  const sandbox = await backend.create({
    agent: "shell",
    image: workerImage,
    pull: "never",
    workspaces,
    ...options,
  });
  atEnd(() => sandbox.close());
  return sandbox;
}

/** The engine's id of the container that a sandbox is. */
export function containerOf({ home }: Pick<Instance, "home">, { id }: Pick<Sandbox, "id">): string {
  const container = openState(home).records.read(id)?.containerId;
  if (!container) throw new Error(`no container is recorded for sandbox ${id}`);
  return container;
}
