import type { Permissions } from "../driver.ts";
import type { ToolPart } from "./events.ts";
import { summaryOf } from "./tools.ts";

/** OpenCode's own words for a call that a rule forbids, or that it would have had to ask somebody about. */
const forbidden =
  /^The user (?:has specified a rule which prevents you from using|rejected permission to use) this specific tool call\./;

/** Its words for a tool that is not there. One that is denied altogether is not even shown to the model. */
const notOffered = /^Model tried to call unavailable tool /;

/** What the agent wanted to do and was not allowed to; undefined where nothing was denied. */
export function denialOf(part: ToolPart, permissions: Permissions): string | undefined {
  const { tool, state } = part;
  if (state.status !== "error") return undefined;
  const denied = forbidden.test(state.error) || (permissions.kind !== "full" && notOffered.test(state.error));
  return denied ? `${tool} ${summaryOf(part)}` : undefined;
}
