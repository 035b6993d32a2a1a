import { z } from "zod";
import type { OfferedTool } from "../conversation/model-request.ts";

const parameters = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) });

const plainTool = z.object({
  type: z.string(),
  name: z.string().optional(),
  parameters: parameters.nullish(),
});

/** A namespace holds tools of its own; Codex puts its own under `functions`. */
export const toolSchema = plainTool.extend({ tools: z.array(plainTool).optional() });

/** The tools that a model may call; those that the API itself serves, such as a web search, are none. */
export function offeredTools(tools: readonly z.infer<typeof toolSchema>[]): OfferedTool[] {
  return tools.flatMap((tool) =>
    tool.type === "namespace"
      ? (tool.tools ?? []).flatMap((each) => one(each, tool.name))
      : one(tool, undefined),
  );
}

function one(tool: z.infer<typeof plainTool>, namespace: string | undefined): OfferedTool[] {
  const { type, name, parameters: schema } = tool;
  if (name === undefined || (type !== "function" && type !== "custom")) return [];
  return [
    {
      name,
      namespace,
      takes: type === "custom" ? "text" : "json",
      properties: Object.keys(schema?.properties ?? {}),
      schema: schema ?? undefined,
    },
  ];
}
