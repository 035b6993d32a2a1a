import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Queryable } from "@opentiger/orchestrator";
import { ServerError } from "../errors.ts";
import { isLoopback } from "./addresses.ts";
import { sessionCookie } from "./cookie.ts";
import { type FoundPeer, peerOf } from "./peer.ts";
import { checkHost, checkOrigin, isFromHere, type KnownHosts } from "./request-origin.ts";
import type { SandboxdSockets } from "./sandboxd-sockets.ts";
import { hashOf, sameHash } from "./token.ts";
import { goodToken, noteUse } from "./tokens.ts";
import type { Who } from "./who.ts";

export interface AccessOptions {
  database: Queryable;
  env: NodeJS.ProcessEnv;
  hosts: KnownHosts;
  sandboxd: Pick<SandboxdSockets, "has">;
  /** Whether the owner's processes on this machine need no key. */
  trustsLocal: boolean;
  /** Whose server this is. */
  uid?: number;
}

/** Decides who may ask. The same for requests and for connections that become something else. */
export class Access {
  readonly #options: AccessOptions;
  readonly #uid: number | undefined;
  /** Of each connection, asked once. */
  readonly #peers = new WeakMap<Socket, Promise<FoundPeer>>();

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#uid = options.uid ?? process.getuid?.();
  }

  /** Refuses what comes under another's name, from another's page, or out of a sandbox. What is left may be anybody. */
  async checkWay(request: IncomingMessage, asked: "page" | "data"): Promise<void> {
    checkHost(request.headers, this.#options.hosts);
    checkOrigin(request, asked);
    if (!isLoopback(request.socket.remoteAddress)) return;
    const peer = await this.#peer(request);
    if (typeof peer === "object" && (await this.#options.sandboxd.has(peer.inode))) {
      throw new ServerError("forbidden", "nothing inside a sandbox may ask this server");
    }
  }

  /** Who it is. A credential that is not good is refused, also where none would be needed. */
  async identify(request: IncomingMessage): Promise<Who> {
    const { database } = this.#options;
    const key = givenKey(request);
    if (key !== undefined) {
      const row = await this.#byKey(key);
      if (!row) throw unauthorized("this key is not good: it was revoked, has expired, or never was one");
      return row;
    }
    const cookie = sessionCookie(request);
    const session = cookie === undefined ? undefined : await goodToken(database, cookie, "session");
    if (session && (!session.hereOnly || isFromHere(request)) && (await this.#isOwn(request))) {
      return { kind: "session", id: session.id, name: session.name };
    }
    if (await this.#isTrusted(request)) return { kind: "local" };
    throw unauthorized("this server wants to know who asks");
  }

  async #byKey(key: string): Promise<Who | undefined> {
    const { env, database } = this.#options;
    const fixed = env["OPENTIGER_API_KEY"];
    if (fixed && sameHash(hashOf(fixed), hashOf(key))) {
      return { kind: "key", id: "environment", name: "OPENTIGER_API_KEY" };
    }
    const row = await goodToken(database, key, "key");
    if (!row) return undefined;
    await noteUse(database, row.id);
    return { kind: "key", id: row.id, name: row.name };
  }

  /** Only of a process of the owner's that is here itself, and that no page told to ask. */
  async #isTrusted(request: IncomingMessage): Promise<boolean> {
    return this.#options.trustsLocal && isFromHere(request) && this.#isOwn(request);
  }

  /**
   * Where it comes from this machine: whether the process is the owner's, as far as that can be known. A browser sends
   * its cookies to every port of this machine, so that others may have seen them; they cannot use them here, nor from
   * elsewhere what was given out here.
   */
  async #isOwn(request: IncomingMessage): Promise<boolean> {
    if (!isLoopback(request.socket.remoteAddress)) return true;
    const peer = await this.#peer(request);
    return peer === "unknown" || (peer !== "absent" && peer.uid === this.#uid);
  }

  #peer({ socket }: IncomingMessage): Promise<FoundPeer> {
    const peer = this.#peers.get(socket) ?? peerOf(socket);
    this.#peers.set(socket, peer);
    return peer;
  }
}

function givenKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"];
  if (key !== undefined) return typeof key === "string" ? key : "";
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
}

function unauthorized(message: string): ServerError {
  return new ServerError("unauthorized", message, {
    remedy: "send a key as X-API-Key or as Authorization: Bearer; `opentiger keys add NAME` makes one",
  });
}
