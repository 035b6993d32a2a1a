import { z } from "zod";

const node = z
  .object({
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
    items: z.unknown().optional(),
    minItems: z.number().optional(),
    minimum: z.number().optional(),
    anyOf: z.array(z.unknown()).optional(),
  })
  .catch({});

/** The smallest value that a schema takes; always the same for the same schema. */
export function sampleOf(schema: unknown): unknown {
  const read = node.parse(schema);
  if (read.const !== undefined) return read.const;
  if (read.enum) return read.enum[0];
  if (read.anyOf) return sampleOf(read.anyOf[0]);
  const type = Array.isArray(read.type) ? read.type[0] : read.type;
  switch (type) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return read.minimum ?? 0;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return Array.from({ length: read.minItems ?? 0 }, () => sampleOf(read.items));
    default:
      return object(read);
  }
}

function object({ properties = {}, required = [] }: z.infer<typeof node>): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name])]));
}
