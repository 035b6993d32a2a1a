import type { Item } from "./item.ts";

/** A request to a model, in the same words for both APIs. */
export interface ModelRequest {
  model: string;
  stream: boolean;
  /** Everything that is not the conversation: system and developer texts, and what a CLI tells of its surroundings. */
  system: string;
  items: readonly Item[];
  tools: readonly OfferedTool[];
  /** The form of the answer, where the API is asked for one. */
  schema: Readonly<Record<string, unknown>> | undefined;
  /** Whether the API is to see to it that the answer keeps to the schema. */
  strict: boolean;
  maxTokens: number | undefined;
  /** What the body says of the session. */
  session: string | undefined;
}

export interface OfferedTool {
  name: string;
  /** text: it takes plain text instead of JSON. */
  takes: "json" | "text";
  namespace: string | undefined;
  properties: readonly string[];
  schema: Readonly<Record<string, unknown>> | undefined;
}

/** The folder that the CLI works in, which each of the three tells the model. */
export function workingDirectory({ system }: Pick<ModelRequest, "system">): string | undefined {
  return (
    /<cwd>([^<\n]+)<\/cwd>/.exec(system)?.[1] ??
    /^\s*-?\s*(?:Primary w|W)orking directory: (.+)$/m.exec(system)?.[1]?.trim()
  );
}
