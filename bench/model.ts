import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Says one sentence to whoever posts, as a stream; prints its port and then the time of each post; ends with its stdin. */
const model = `
  process.stdin.resume().once("end", () => process.exit());
  const events = [
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "done" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: 1, output_tokens: 1 } },
    { type: "message_stop" },
  ];
  require("node:http").createServer((request, response) => {
    if (request.method === "POST") console.log(Date.now());
    request.resume().on("end", () => {
      response.setHeader("content-type", "text/event-stream");
      response.end(events.map((event) => "event: " + event.type + "\\ndata: " + JSON.stringify(event) + "\\n\\n").join(""));
    });
  }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;

export interface Model {
  url: string;
  /** When each post arrived. */
  posts: number[];
  stop(): void;
}

/** A model on loopback, in a process of its own. */
export async function startModel(): Promise<Model> {
  const child = spawn(process.execPath, ["-e", model], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  const port = Number(await new Promise((resolve) => lines.once("line", resolve)));
  const posts: number[] = [];
  lines.on("line", (line) => posts.push(Number(line)));
  return { url: `http://127.0.0.1:${port}`, posts, stop: () => void child.kill("SIGKILL") };
}
