import { z } from "zod";

const json = z.object({ "application/json": z.object({ schema: z.record(z.string(), z.unknown()) }) });
const described = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ responses: z.record(z.string(), z.object({ content: z.unknown().optional() })) }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/** What is wrong with an answer, by the document of the API; undefined: it is as the document says. */
type AnswerCheck = (route: string, status: number, text: string) => string | undefined;

/** Reads the document of the API once, to compare answers with it. */
export function answerChecks(document: unknown): AnswerCheck {
  const { paths, components } = described.parse(inPlace(document));
  const shapes = new Map<string, z.ZodType>();
  return (route, status, text) => {
    const [verb = "", path = ""] = route.split(" ");
    const responses = paths[path]?.[verb.toLowerCase()]?.responses ?? {};
    const found = [String(status), `${Math.trunc(status / 100)}XX`].find((name) => name in responses);
    if (found === undefined) return `the document knows no ${status}`;
    const answer = json.safeParse(responses[found]?.content);
    if (!answer.success) return undefined;
    const name = `${route} ${found}`;
    const shape = shapes.get(name) ?? shapeOf(answer.data["application/json"].schema, components.schemas);
    shapes.set(name, shape);
    const read = shape.safeParse(parse(text));
    return read.success ? undefined : z.prettifyError(read.error);
  };
}

/** Where the reader of schemas looks for what they refer to. */
function inPlace(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document).replaceAll("#/components/schemas/", "#/$defs/"));
}

function shapeOf(schema: Record<string, unknown>, definitions: Record<string, unknown>): z.ZodType {
  // It is a schema: the server's library wrote it.
  return z.fromJSONSchema({ ...schema, $defs: definitions } as Parameters<typeof z.fromJSONSchema>[0]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
