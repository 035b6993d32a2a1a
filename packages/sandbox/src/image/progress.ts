import { StringDecoder } from "node:string_decoder";

/** What a build reports while it goes. Steps are counted anew for the base and for the image. */
export type BuildEvent =
  | { readonly kind: "step"; readonly step: number; readonly steps: number; readonly text: string }
  | { readonly kind: "output"; readonly text: string }
  | {
      readonly kind: "pull";
      readonly layer: string;
      readonly status: string;
      readonly current?: number;
      readonly total?: number;
    }
  | { readonly kind: "note"; readonly text: string };

/** One message of the engine: something to show, the failure that ended the build, or nothing of interest. */
export type EngineMessage = BuildEvent | { readonly kind: "failed"; readonly text: string };

/** The engine's JSON lines, whatever the chunks they come in. A line that is no JSON is passed on as output. */
export async function* engineMessages(stream: AsyncIterable<Buffer | string>): AsyncGenerator<EngineMessage> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + (typeof chunk === "string" ? chunk : decoder.write(chunk))).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield* parse(line);
  }
  yield* parse(rest + decoder.end());
}

function* parse(line: string): Generator<EngineMessage> {
  if (line.trim() === "") return;
  const message = asRecord(line);
  if (message === undefined) yield { kind: "output", text: line.trimEnd() };
  else if (typeof message["error"] === "string") yield { kind: "failed", text: message["error"].trim() };
  else if (typeof message["stream"] === "string") yield* builderText(message["stream"]);
  else if (typeof message["status"] === "string") yield pullStatus(message, message["status"]);
}

/** undefined for a line that is no JSON object. */
function asRecord(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function* builderText(text: string): Generator<BuildEvent> {
  for (const line of text.split(/[\r\n]+/)) {
    const step = /^Step (\d+)\/(\d+) : (.*)$/.exec(line);
    if (step) yield { kind: "step", step: Number(step[1]), steps: Number(step[2]), text: step[3] ?? "" };
    else if (line.trim() !== "") yield { kind: "output", text: line };
  }
}

function pullStatus(message: Record<string, unknown>, status: string): BuildEvent {
  const layer = typeof message["id"] === "string" ? message["id"] : "";
  const progress = new Map(Object.entries(message["progressDetail"] ?? {}));
  const [current, total] = [progress.get("current"), progress.get("total")];
  return {
    kind: "pull",
    layer,
    status,
    ...(typeof current === "number" ? { current } : {}),
    ...(typeof total === "number" ? { total } : {}),
  };
}
