import { type ModelRequest, type OfferedTool, workingDirectory } from "../conversation/model-request.ts";
import type { DoneCall } from "../scenario/progress.ts";
import type { Action } from "../scenario/step.ts";
import { commandMeans, patchMeans, scriptMeans } from "./means.ts";
import { namedTools } from "./named.ts";
import { patchingTools } from "./patching.ts";
import type { CallDraft, ToolKind } from "./tool-kind.ts";

/** How the actions of a scenario are done with the tools that a request offers. */
export interface Toolbox {
  /** undefined: the action is done with the calls that were made. */
  next(action: Action, calls: readonly DoneCall[]): CallDraft | undefined;
}

export function toolboxOf(request: ModelRequest): Toolbox {
  const kind = kindOf(request);
  return {
    next(action, calls) {
      switch (action.do) {
        case "readFile":
          return kind.read(action.path, calls);
        case "writeFile":
          return kind.write(action.path, action.content, calls);
        case "editFile":
          return kind.edit(action, calls);
        case "runCommand":
          return kind.run(action.command, calls);
        case "endlessToolLoop":
          if (action.times !== "forever" && calls.length >= action.times) return undefined;
          return kind.run(action.command, []);
      }
    },
  };
}

/** The tool by which Claude Code and OpenCode have an answer in a given form from a model. */
export function structuredOutput(tools: readonly OfferedTool[]): OfferedTool | undefined {
  return tools.find(({ name }) => name === "StructuredOutput");
}

function kindOf(request: ModelRequest): ToolKind {
  const { tools, items } = request;
  const named = (name: string) => tools.find((tool) => tool.name === name);
  const [exec, patch, bash] = [named("exec"), named("apply_patch"), named("bash")];
  if (exec?.takes === "text") return patchingTools(scriptMeans(exec, named("wait")), items);
  if (named("exec_command")) return patchingTools(commandMeans(patch), items);
  if (bash && patch && !named("edit")) return patchingTools(patchMeans(bash, patch), items);
  return namedTools(tools, workingDirectory(request), items);
}
