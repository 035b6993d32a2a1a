import { basename } from "node:path";
import { sandboxName } from "@opentiger/schema";
import { SandboxError } from "./errors.ts";

const longest = 63;

/** How many sandboxes of one agent and folder are numbered before the user is asked for a name. */
const mostNumbered = 999;

export function checkName(name: string): string {
  const parsed = sandboxName.safeParse(name);
  if (parsed.success) return parsed.data;
  throw new SandboxError("name_invalid", `${JSON.stringify(name)} cannot be the name of a sandbox`, {
    remedy: `use ${parsed.error.issues[0]?.message ?? "another name"}`,
  });
}

/** `<agent>-<basename>`, then the same with 2, 3, …: every one of them a legal name, whatever the folder is called. */
export function* defaultNames(agent: string, workspace: string): Generator<string> {
  yield fit(agent, workspace, "");
  for (let number = 2; number <= mostNumbered; number += 1) yield fit(agent, workspace, `-${number}`);
}

function fit(agent: string, workspace: string, suffix: string): string {
  const folder = basename(workspace)
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9_.+-]+/g, "-");
  const stem = `${agent}-${folder}`.slice(0, longest - suffix.length).replace(/[-_.+]+$/, "");
  return stem + suffix;
}
