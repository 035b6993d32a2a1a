import { posix } from "node:path";
import type { AgentTask, LaunchFile, LaunchPlace } from "../driver.ts";
import { modelName } from "./model.ts";
import { agentPermissions, subagentPermissions } from "./permissions.ts";

/** Its rules stand behind those of the user's configuration, and the last one that fits decides. */
const agent = "opentiger";

/** OpenCode's own service, which takes prompts without any login. It is used only by who asks for it. */
const openProvider = "opencode";

/**
 * What we say in OpenCode's configuration. It stands above the user's own and that of the project; providers and their
 * placeholders are in another file, of the gateway's. Nothing in it is secret.
 */
export function configOf(
  task: AgentTask,
  { folder }: LaunchPlace,
  instructions: readonly LaunchFile[],
): Readonly<Record<string, unknown>> {
  const { model } = task;
  const { provider, model: name, whole } = model === undefined ? unnamed : modelName(model);
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    // Its own copies of the workspace, for an undo that nobody will ask for.
    snapshot: false,
    disabled_providers: provider === openProvider ? [] : [openProvider],
    instructions: instructions.map(({ path }) => posix.join(folder, path)),
    default_agent: agent,
    agent: { [agent]: { mode: "primary", permission: agentPermissions(task) } },
    permission: subagentPermissions(task),
    // A model that is younger than OpenCode's catalogue is known by being named.
    ...(provider === undefined
      ? {}
      : { model: whole, small_model: whole, provider: { [provider]: { models: { [name]: {} } } } }),
  };
}

const unnamed = { provider: undefined, model: "", whole: "" };
