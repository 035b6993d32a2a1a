import { isUtf8 } from "node:buffer";
import { type Execution, exitCode, type OutputChunk } from "@opentiger/sandbox/exec-client";
import { onInterruption } from "./interruption.ts";
import { escalation, forwardStdin, type RelayOptions } from "./relay.ts";
import { Sink } from "./sink.ts";

/**
 * The same as `relay`, for machines: one JSON object a line, in the order things happened. The offsets say where
 * `attach` has to go on when this client dies.
 */
export async function relayAsJson(execution: Execution, options: RelayOptions): Promise<number> {
  const sink = new Sink(1);
  const line = (value: unknown) => sink.write(Buffer.from(`${JSON.stringify(value)}\n`));
  const stopListening = onInterruption(escalation(execution), options.env);
  if (options.stdin) forwardStdin(execution);
  try {
    await line({ type: "opened", id: execution.id, pid: execution.pid });
    for await (const chunk of execution.output()) {
      if (!(await line(asEvent(chunk)))) await execution.kill("SIGPIPE").catch(() => {});
    }
    const exit = await execution.exit;
    await line({ type: "exit", ...exit });
    return exitCode(exit);
  } finally {
    stopListening();
  }
}

/** `text` where the bytes are text by themselves, else `base64`: nothing is lost either way. */
function asEvent({ stream, offset, data }: OutputChunk) {
  const content = isUtf8(data) ? { text: data.toString("utf8") } : { base64: data.toString("base64") };
  return { type: stream, offset, bytes: data.length, ...content };
}
