import { SandboxError } from "@opentiger/sandbox";
import { z } from "zod";
import type { AnswerSchema } from "../driver.ts";

/**
 * The form of an answer, for the CLIs: all properties required and no others allowed, as the models' APIs want it.
 * Throws where the schema leaves something open, since one of the APIs would refuse it in the middle of a run.
 */
export function answerSchema(schema: z.ZodType): AnswerSchema {
  const { $schema: _version, ...jsonSchema } = z.toJSONSchema(schema);
  refuseOpen(jsonSchema, "the answer");
  return { jsonSchema };
}

function refuseOpen(node: unknown, where: string): void {
  if (Array.isArray(node)) {
    for (const [index, one] of node.entries()) refuseOpen(one, `${where}[${index}]`);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { type, properties, required, additionalProperties } = objectNode.parse(node);
  if (type === "object") {
    const open = Object.keys(properties).find((name) => !required.includes(name));
    if (open !== undefined) throw refused(`${open} of ${where} may be missing: let it be null instead`);
    if (additionalProperties !== false) throw refused(`${where} allows properties that nobody named`);
  }
  for (const [name, held] of Object.entries(node))
    refuseOpen(held, name === "properties" ? where : `${where}.${name}`);
}

const objectNode = z.object({
  type: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).catch({}).default({}),
  required: z.array(z.string()).catch([]).default([]),
  additionalProperties: z.unknown().optional(),
});

function refused(message: string): SandboxError {
  return new SandboxError("usage", `this cannot be asked of every agent: ${message}`);
}
