import { createServer, type IncomingMessage, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { allRows } from "@opentiger/orchestrator";
import { claimSocket } from "@opentiger/sandboxd";
import { loopStatus, opentigerVersion } from "@opentiger/schema";
import { z } from "zod";
import { audited, commandLine } from "../access/audited.ts";
import { newLoginLink } from "../access/login-link.ts";
import type { Parts } from "../parts.ts";
import type { RunningServer } from "../server.ts";
import type { ServerStatus, StartedWith } from "./status.ts";

/** A database that takes longer does not answer. */
const noteMs = 1_000;

type Claim = NonNullable<Awaited<ReturnType<typeof claimSocket>>>;

/**
 * The socket on which the owner's own programs find the server, whatever its port is and whoever it wants to know. There
 * is at most one; it is there before the server is ready, and says what it is doing.
 */
export class Control {
  readonly #claim: Claim;
  readonly #stop: () => void;
  readonly #given: StartedWith;
  readonly #startedAt = new Date().toISOString();
  #doing: string | null = null;
  #server: RunningServer | undefined;

  /** undefined: another server of this instance runs. */
  static async open(socket: string, stop: () => void, given: StartedWith): Promise<Control | undefined> {
    const server = createServer();
    const claim = await claimSocket(socket, server);
    return claim && new Control(server, claim, stop, given);
  }

  private constructor(server: Server, claim: Claim, stop: () => void, given: StartedWith) {
    this.#claim = claim;
    this.#stop = stop;
    this.#given = given;
    server.on("request", (request, response) => {
      this.#answer(request).then(
        (answer) => response.setHeader("content-type", "application/json").end(JSON.stringify(answer)),
        () => response.writeHead(500).end(),
      );
    });
  }

  say(doing: string): void {
    this.#doing = doing;
  }

  ready(server: RunningServer): void {
    this.#doing = null;
    this.#server = server;
  }

  /** false: the state folder was removed, or somebody else has the socket. */
  get holds(): boolean {
    return this.#claim.holds();
  }

  close(): void {
    this.#claim.release();
  }

  async #answer({ method, url }: IncomingMessage): Promise<unknown> {
    if (method === "GET" && url === "/flags") return this.#given.flags;
    if (method === "GET" && url === "/pins") return this.#given.pins;
    if (method === "POST" && url === "/login" && this.#server) {
      const { parts, url: own } = this.#server;
      await this.#note("login link", own);
      return newLoginLink(parts.place.database, own, commandLine);
    }
    if (method === "POST" && url === "/stop") {
      // Nobody is kept from ending it by a database that does not answer.
      await this.#note("server stop", this.#server?.url ?? "").catch(() => {});
      this.#stop();
    }
    return this.#status();
  }

  /** What its owner asks here is in the audit beside what is asked over HTTP. */
  async #note(action: string, target: string): Promise<void> {
    if (!this.#server) return;
    const { database } = this.#server.parts.place;
    const noted = audited(database, { action, target }, async () => {});
    await Promise.race([noted, sleep(noteMs, undefined, { ref: false })]);
  }

  async #status(): Promise<ServerStatus> {
    const server = this.#server;
    const route = server?.parts.place.database.route;
    return {
      version: opentigerVersion,
      pid: process.pid,
      startedAt: this.#startedAt,
      ready: server !== undefined,
      doing: this.#doing,
      url: server?.url ?? null,
      database: route ? { kind: route.kind, where: route.where } : null,
      processes: (server?.parts.processes.list() ?? []).map(({ name, state, pid, working }) => ({
        name,
        state,
        pid,
        working,
      })),
      loops: server ? await openLoops(server.parts) : {},
    };
  }
}

const counted = z.object({ status: loopStatus, count: z.number() });

async function openLoops({ place }: Parts): Promise<ServerStatus["loops"]> {
  const rows = await allRows(
    place.database,
    counted,
    "select status, count(*) from loops where status not in ('done', 'failed', 'cancelled') group by 1",
  ).catch(() => []);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
