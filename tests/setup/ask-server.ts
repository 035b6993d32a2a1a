import { type IncomingMessage, request } from "node:http";

export interface ServerAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
  /** The text as JSON; undefined where it is none. */
  json: unknown;
}

export interface ServerQuestion {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON, or text or bytes that are sent as they are. */
  body?: unknown;
  /** From which address of this machine; the usual one by default. */
  from?: string;
}

/** One request as it is: any Host, any Origin, nothing added. */
export function askServer(url: string, path: string, question: ServerQuestion = {}): Promise<ServerAnswer> {
  const { hostname, port } = new URL(url);
  const { method = "GET", headers = {}, body, from } = question;
  const asItIs = typeof body === "string" || body === undefined || Buffer.isBuffer(body);
  const written = asItIs ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request({
      host: hostname,
      port,
      path,
      method,
      ...(from === undefined ? {} : { localAddress: from }),
      headers: { ...(written === undefined ? {} : { "content-type": "application/json" }), ...headers },
      // A connection of its own: who is at the other end is looked up once for each.
      agent: false,
    });
    asked.once("error", reject);
    asked.once("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
      });
      answer.once("error", reject);
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: parse(text) }),
      );
    });
    asked.end(written);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
