import { readFileSync } from "node:fs";
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import type {
  DoorsRequest,
  HelloAnswer,
  HelloRequest,
  PrepareRequest,
  SelfTestRequest,
  SignalRequest,
} from "@opentiger/schema";
import { portHeader } from "../protocol/doors.ts";
import { parseMountinfo } from "../protocol/mountinfo.ts";
import { bootId } from "./boot-id.ts";
import type { SupervisorConfig } from "./config.ts";
import type { Doors } from "./egress/doors.ts";
import { serveExecStream } from "./exec-stream.ts";
import type { ExecTable } from "./exec-table.ts";
import { prepare } from "./prepare.ts";
import { RefusedError, toRefusal } from "./refusals.ts";
import { readStats } from "./stats.ts";

/** A request is a small JSON document; files travel as an exec's stdin. */
const maxRequestBytes = 1024 * 1024;

/** The control side of every session: the host asks, the supervisor answers. */
export class Control {
  #server: Promise<Http2Server> | undefined;
  readonly #boot = bootId();
  readonly #generations = new Map<string, number>();
  readonly #doors: Promise<Doors> | undefined;
  ready: Promise<void>;

  constructor(
    readonly config: SupervisorConfig,
    readonly table: ExecTable,
  ) {
    const prepared = config.prepare ? prepare(config.prepare, config, table.launcher) : Promise.resolve();
    // Loaded now and not at the start: meanwhile the spawner starts.
    if (config.doors) this.#doors = import("./egress/doors.ts").then(({ openDoors }) => openDoors(config));
    this.ready = Promise.all([prepared, table.launcher.ready, this.#doors]).then(() => {});
    // Reported to whoever asks first; until then it must not end the process.
    this.ready.catch(() => {});
  }

  /** Takes a byte stream to the host and speaks HTTP/2 on it, as the server. */
  async serveSession(stream: Duplex): Promise<void> {
    stream.on("error", () => {});
    this.#server ??= this.#makeServer();
    (await this.#server).emit("connection", stream);
  }

  /** Takes a byte stream that carries the frames of one exec, or of one question. */
  serveExec(stream: Duplex): void {
    serveExecStream(stream, this.table, this.ready, (path, request) => this.#answer(path, request));
  }

  /** Loaded when it is first needed, which with most engines is never: it is a third of the start and of the memory. */
  async #makeServer(): Promise<Http2Server> {
    const { createServer } = await import("node:http2");
    const server = createServer();
    server.on("stream", (stream, headers) => void this.#serve(stream, headers));
    server.on("session", (session) => void session.on("error", () => {}));
    server.on("sessionError", () => {});
    return server;
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    stream.on("error", () => {});
    const path = headers[":path"] ?? "";
    if (path === "/exec") {
      stream.respond({ ":status": 200 });
      this.serveExec(stream);
      return;
    }
    try {
      if (path === "/connect") return await this.#connect(stream, Number(headers[portHeader]));
      const answer = await this.#answer(path, await body(stream));
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.end(JSON.stringify(answer));
    } catch (error) {
      if (stream.destroyed) return;
      stream.respond({ ":status": 400, "content-type": "application/json" });
      stream.end(JSON.stringify(toRefusal(error)));
    }
  }

  async #connect(stream: ServerHttp2Stream, port: number): Promise<void> {
    const { connectInside } = await import("./egress/connect-inside.ts");
    const { join } = await import("./egress/join.ts");
    const socket = await connectInside(port);
    stream.respond({ ":status": 200 });
    join(stream, socket);
  }

  /** The host checks what it sends; here the shapes are trusted. */
  async #answer(path: string, request: unknown): Promise<unknown> {
    switch (path) {
      case "/hello":
        return this.#hello(request as HelloRequest);
      case "/prepare":
        await this.ready;
        this.ready = prepare(request as PrepareRequest, this.config, this.table.launcher);
        await this.ready;
        this.config.workDir = (request as PrepareRequest).workDir ?? this.config.workDir;
        this.config.env = { ...this.config.env, ...(request as PrepareRequest).env };
        return {};
      case "/signal": {
        const { id, signal } = request as SignalRequest;
        // Unknown signal names are refused by the kernel call itself.
        await this.table.signal(id, signal as NodeJS.Signals);
        return {};
      }
      case "/execs":
        return this.table.list();
      case "/terminal": {
        const { id, user } = request as { id: string; user?: string };
        return this.table.reserveTerminal(id, user);
      }
      case "/mounts":
        return parseMountinfo(readFileSync("/proc/self/mountinfo", "utf8"));
      case "/doors":
        await (await this.#openedDoors()).setHostPorts((request as DoorsRequest).hostPorts);
        return {};
      case "/self-test": {
        await this.#openedDoors();
        const { selfTest } = await import("./egress/self-test.ts");
        await selfTest(request as SelfTestRequest);
        return {};
      }
      case "/stats":
        return readStats();
      default:
        throw new RefusedError("unsupported", `the supervisor of this sandbox does not know ${path}`);
    }
  }

  async #openedDoors(): Promise<Doors> {
    if (this.#doors) return this.#doors;
    throw new RefusedError("unsupported", "this sandbox was made without doors: remove it and make it again");
  }

  /** A holder that comes back has a higher generation; its older self, waking up late, is refused. */
  async #hello({ holder, generation }: HelloRequest): Promise<HelloAnswer> {
    const known = this.#generations.get(holder);
    if (known !== undefined && generation < known) {
      throw new RefusedError(
        "session_lost",
        `generation ${generation} of ${holder} is over: ${known} has taken its place`,
      );
    }
    await this.ready;
    // A client of one command says hello once and never again: remembering those would grow without end.
    if (generation > 0) this.#generations.set(holder, generation);
    const { isolation, agentUid } = this.config;
    return { protocol: 1, boot: this.#boot, node: process.version, pid: process.pid, agentUid, isolation };
  }
}

async function body(stream: ServerHttp2Stream): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Node types the chunks of a stream without an encoding as any; they are buffers.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxRequestBytes) throw new RefusedError("usage", "the request is too large");
    chunks.push(chunk);
  }
  return size === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
