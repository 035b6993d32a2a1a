export interface StreamEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Longer than this is none of ours. */
const maxEventChars = 16 * 1024 * 1024;

/**
 * Server-sent events of an answer. The browser's own EventSource hears only those whose names it was told before, and
 * cannot be asked to go on at a place; so they are read here.
 */
export async function* readEvents(answer: Response): AsyncGenerator<StreamEvent> {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      if (rest.length > maxEventChars) return;
      for (const block of blocks) yield readBlock(block);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function readBlock(block: string): StreamEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    fields.set(name, name === "data" && fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  return { id: fields.get("id"), event: fields.get("event") ?? "", data: fields.get("data") ?? "" };
}
