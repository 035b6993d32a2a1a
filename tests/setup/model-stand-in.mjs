/*
 * A stand-in for the model behind Claude Code, on loopback; prints the port that it listens on. To the first question it answers with a command to run, and to the command's result with a sentence.
 */
import { createServer } from "node:http";

const [port = "0", command = "true", sentence = "done"] = process.argv.slice(2);

const server = createServer(async (request, response) => {
  if (request.method !== "POST" || !request.url?.startsWith("/v1/messages")) return void response.end();
  let body = "";
  for await (const chunk of request) body += chunk;
  /** @type {{messages: unknown[], tools?: {name: string}[], model: string}} */
  const { messages, tools = [], model } = JSON.parse(body);
  const answered = JSON.stringify(messages.at(-1)).includes("tool_result");
  const useTool = !answered && tools.some((tool) => tool.name === "Bash");
  response.writeHead(200, { "content-type": "text/event-stream" });
  /** @param {string} type @param {object} data */
  const send = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { input_tokens: 1, output_tokens: 1 };
  send("message_start", {
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      usage,
    },
  });
  send("content_block_start", {
    index: 0,
    content_block: useTool
      ? { type: "tool_use", id: "toolu_1", name: "Bash", input: {} }
      : { type: "text", text: "" },
  });
  send("content_block_delta", {
    index: 0,
    delta: useTool
      ? { type: "input_json_delta", partial_json: JSON.stringify({ command, description: "do it" }) }
      : { type: "text_delta", text: sentence },
  });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason: useTool ? "tool_use" : "end_turn" }, usage });
  send("message_stop", {});
  response.end();
});
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
