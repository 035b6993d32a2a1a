import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { connectDocker } from "../../packages/sandbox/src/backends/docker/docker-backend.ts";
import { connectEngine } from "../../packages/sandbox/src/backends/docker/engine/engine.ts";
import { bridge } from "../../packages/sandbox/src/carriers/exec-stdio.ts";
import { listenForEgress } from "../../packages/sandbox/src/egress/listen.ts";
import type { Outward } from "../../packages/sandbox/src/egress/outward.ts";
import { egressOverStdio } from "../../packages/sandbox/src/egress/over-stdio.ts";
import { ensureCarrierFolder } from "../../packages/sandbox/src/state/carrier-folder.ts";
import type { EgressOpening, SandboxRecord } from "../../packages/schema/src/index.ts";
import { atEnd } from "./at-end.ts";
import type { Instance } from "./sandbox.ts";
import { temporaryFolder } from "./temporary-workspace.ts";

/**
 * The outside of sandboxes without sandboxd: takes their connections and answers all of them with one HTTP server of
 * the test's, whatever host they are for.
 */
export interface Taker extends Outward {
  /** In the order they came. */
  readonly openings: EgressOpening[];
  /** What a CONNECT is answered with for the name that everybody denies. */
  deniedStatus: number;
  /** Instead of the HTTP server, for connections of this kind. */
  handle: ((opening: EgressOpening, stream: Duplex) => void) | undefined;
}

export interface TakingInstance extends Instance {
  taker: Taker;
}

export async function takingInstance(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<TakingInstance> {
  const home = temporaryFolder("ot-");
  const own = { ...env, OPENTIGER_HOME: home };
  const taker = newTaker(own, home, answer);
  const backend = await connectDocker({ env: own, outward: taker });
  atEnd(async () => {
    await backend.reset();
    rmSync(home, { recursive: true, force: true });
  });
  return { backend, home, env: own, taker };
}

function newTaker(
  env: NodeJS.ProcessEnv,
  home: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Taker {
  const attached = new Map<string, { close(): unknown }>();
  const server = httpServer(answer);
  const taker: Taker = {
    openings: [],
    deniedStatus: 403,
    handle: undefined,
    prepare: async () => {},
    attach: async (record) => void attached.set(record.id, await open(record)),
    detach: async (id) => {
      await attached.get(id)?.close();
      attached.delete(id);
    },
  };
  server.on("connect", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const denied = request.url?.includes("self-test.opentiger.invalid") === true;
    const status = denied ? taker.deniedStatus : 200;
    stream.write(`HTTP/1.1 ${status} whatever\r\n\r\n`);
    if (status !== 200) return void stream.end();
    stream.unshift(head);
    server.emit("connection", stream);
  });
  return taker;

  function open(record: SandboxRecord): Promise<{ close(): unknown }> {
    if (record.carrier === "socket") return listenForEgress(ensureCarrierFolder(home, record.id), take);
    return overStdio(record);
  }

  async function overStdio(record: SandboxRecord): Promise<{ close(): unknown }> {
    const { docker } = connectEngine({ env, home });
    return egressOverStdio(await bridge(docker, record.containerId ?? "", "egress-bridge"), take);
  }

  function take(opening: EgressOpening, stream: Duplex): void {
    taker.openings.push(opening);
    stream.on("error", () => {});
    if (taker.handle) taker.handle(opening, stream);
    else if (opening.kind === "host") reachHost(opening.port, stream);
    else server.emit("connection", stream);
  }
}

function reachHost(port: number, stream: Duplex): void {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => stream.destroy());
  stream.pipe(socket).pipe(stream);
}

function httpServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const server = createServer(answer);
  server.on("clientError", (_error, socket) => socket.destroy());
  return server;
}
