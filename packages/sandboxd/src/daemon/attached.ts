import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import {
  bridge,
  egressOverStdio,
  ensureCarrierFolder,
  listenedHostPorts,
  listenForEgress,
  openDialledSession,
  reachSupervisor,
  SandboxError,
  type Session,
} from "@opentiger/sandbox";
import type { EgressOpening, SandboxRecord } from "@opentiger/schema";
import type { PublishedPort } from "../api.ts";
import type { Engines } from "./engines.ts";

/** A bridge that broke is tried again: the engine may be restarting. */
const bridgeRetryMs = 1_000;

export type Take = (opening: EgressOpening, stream: Duplex) => void;

interface Surroundings {
  stateFolder: string;
  engines: Engines;
  take: Take;
  /** Told when the way out of this sandbox broke, and why. */
  onTrouble: (sentence: string) => void;
}

/** One sandbox as sandboxd holds it: its way out, its published ports, and a session where one is needed. */
export class Attached {
  record: SandboxRecord;
  /** Why it has no network at present. */
  trouble: string | null = null;
  readonly #around: Surroundings;
  readonly #published = new Map<number, { server: Server; inside: number }>();
  /** One after the other: who asks for a port that another is about to open finds it open. */
  #publishing: Promise<unknown> = Promise.resolve();
  #egress: Promise<{ close(): unknown }> | undefined;
  #session: Promise<Session> | undefined;
  #closed = false;

  constructor(record: SandboxRecord, around: Surroundings) {
    this.record = record;
    this.#around = around;
  }

  /** Opens the way out, if it is not open. */
  async open(): Promise<void> {
    this.#egress ??= this.#openEgress();
    try {
      await this.#egress;
      this.trouble = null;
    } catch (error) {
      this.#egress = undefined;
      this.trouble = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  get ports(): PublishedPort[] {
    return [...this.#published].map(([published, { inside }]) => ({ inside, published }));
  }

  /** A port of the host's loopback that leads to one inside. */
  publish(inside: number, wanted: number | undefined): Promise<PublishedPort> {
    const published = this.#publishing.then(() => this.#publish(inside, wanted));
    this.#publishing = published.catch(() => {});
    return published;
  }

  unpublish(published: number): boolean {
    const found = this.#published.get(published);
    this.#published.delete(published);
    found?.server.close();
    return found !== undefined;
  }

  /** Tells the supervisor which ports of the host to listen for. */
  async setDoors(): Promise<void> {
    await this.withSession((session) =>
      session.setDoors({ hostPorts: listenedHostPorts(this.record.network) }),
    );
  }

  connectInside(port: number): Promise<Duplex> {
    return this.withSession((session) => session.connectInside(port));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const published of this.#published.keys()) this.unpublish(published);
    const [egress, session] = await Promise.allSettled([this.#egress, this.#session]);
    if (egress.status === "fulfilled") await egress.value?.close();
    if (session.status === "fulfilled") await session.value?.close();
  }

  async #publish(inside: number, wanted: number | undefined): Promise<PublishedPort> {
    const known = this.ports.find((port) => port.inside === inside && (!wanted || wanted === port.published));
    if (known) return known;
    const server = createServer({ allowHalfOpen: true }, (outside) => {
      outside.on("error", () => {});
      this.connectInside(inside).then(
        (within) => {
          pipeline(outside, within, () => {});
          pipeline(within, outside, () => {});
        },
        () => outside.destroy(),
      );
    });
    const published = await listenOnLoopback(server, wanted);
    this.#published.set(published, { server, inside });
    return { inside, published };
  }

  #openEgress(): Promise<{ close(): unknown }> {
    const { carrier, id } = this.record;
    if (carrier === "socket") {
      return listenForEgress(ensureCarrierFolder(this.#around.stateFolder, id), this.#around.take);
    }
    if (carrier === "exec-stdio") return this.#bridge();
    return Promise.resolve({ close: () => {} });
  }

  async #bridge(): Promise<{ close(): unknown }> {
    const docker = this.#around.engines.docker(this.record.engine);
    const stream = await bridge(docker, this.record.containerId ?? "", "egress-bridge");
    const egress = egressOverStdio(stream, this.#around.take);
    void egress.closed.then(() => this.#mend());
    return egress;
  }

  /** The bridge ended: the engine or the sandbox was stopped, or one of them will be back. */
  #mend(): void {
    this.#egress = undefined;
    if (this.#closed) return;
    setTimeout(() => {
      if (!this.#closed) this.open().catch((error: unknown) => this.#around.onTrouble(String(error)));
    }, bridgeRetryMs).unref();
  }

  /** A session is kept for the next question; one that was lost in between is replaced once. */
  async withSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const kept = await this.#session?.catch(() => undefined);
    if (!kept?.isOpen) this.#session = this.#reach();
    try {
      return await use(await (this.#session ?? this.#reach()));
    } catch (error) {
      if (!(error instanceof SandboxError) || error.code !== "session_lost") throw error;
      this.#session = this.#reach();
      return use(await this.#session);
    }
  }

  #reach(): Promise<Session> {
    const { stateFolder, engines } = this.#around;
    const { record } = this;
    if (record.carrier === "socket") {
      const holder = { holder: randomUUID(), generation: 0 };
      return openDialledSession(ensureCarrierFolder(stateFolder, record.id), holder);
    }
    const docker = engines.docker(record.engine);
    return reachSupervisor({ docker, stateFolder, record }, record.containerId ?? "");
  }
}

function listenOnLoopback(server: Server, port: number | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(taken(error, port)));
    server.listen({ host: "127.0.0.1", port: port ?? 0 }, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : (port ?? 0));
    });
  });
}

function taken(error: NodeJS.ErrnoException, port: number | undefined): Error {
  if (error.code !== "EADDRINUSE" && error.code !== "EACCES") return error;
  const why = error.code === "EADDRINUSE" ? "is in use" : "needs rights that you do not have";
  return new SandboxError("already_exists", `port ${port} of 127.0.0.1 ${why}`, {
    remedy: "choose another one with --publish, or leave it out for any free one",
    cause: error,
  });
}
