import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { BudgetLimits } from "./budgets/budget.ts";
import { Budgets } from "./budgets/budgets.ts";
import { type GatewayCaller, type Scope, scopesOf } from "./caller.ts";
import { HostCallers } from "./callers.ts";
import { CredentialDesk } from "./credentials/desk.ts";
import { Granting, type Prepared } from "./credentials/granting.ts";
import { Grants } from "./credentials/grants.ts";
import type { CredentialSource } from "./credentials/vault-port.ts";
import { type GatewayEvent, Listeners } from "./events.ts";
import { Exchange, type ExchangeParts } from "./exchange/exchange.ts";
import { Upstream } from "./exchange/upstream.ts";
import { Ledger } from "./metering/ledger.ts";
import type { RequestRecord } from "./metering/record.ts";
import type { Totals } from "./metering/totals.ts";
import type { BrokeredAgent } from "./placeholders/placeholders.ts";
import { type SandboxAuth, SandboxStates } from "./status.ts";
import { UnderWay } from "./under-way.ts";

const dayMs = 86_400_000;

/** A client inside may keep its connection for the next turn. */
const idleMs = 10 * 60_000;

/** More connections than a sandbox needs; beyond them new ones are closed. */
const streamsAtOnce = 512;

export interface GatewayOptions {
  /** Of sandboxd: upstreams, proxy, keys and where the host's logins are. */
  env: NodeJS.ProcessEnv;
  /** For everything that is kept; 0700. */
  folder: string;
  credentials: CredentialSource;
  now?: () => Date;
  leaseTtlMs?: number;
}

/**
 * The way from a sandbox to a model. It takes the CLI's requests, whatever credential they carry, and sends those of a
 * fixed table on with the real one. Inside there is nothing to steal; what is revoked, used up or unknown is refused
 * with the next request.
 */
export class Gateway {
  readonly #env: NodeJS.ProcessEnv;
  readonly #now: () => Date;
  readonly #upstream: Upstream;
  readonly #ledger: Ledger;
  readonly #budgets: Budgets;
  readonly #granting: Granting;
  readonly #desk: CredentialDesk;
  readonly #callers: HostCallers;
  readonly #server: Server;
  readonly #streams = new Map<Duplex, GatewayCaller>();
  readonly #underWay = new UnderWay();
  readonly #listeners = new Listeners();
  readonly #states: SandboxStates;
  #loopback: Promise<{ port: number }> | undefined;

  constructor({ env, folder, credentials, now = () => new Date(), leaseTtlMs = dayMs }: GatewayOptions) {
    this.#env = env;
    this.#now = now;
    const onTrouble = (message: string) => this.#tell({ type: "trouble", at: now().toISOString(), message });
    this.#ledger = new Ledger({ folder, onTrouble });
    this.#ledger.subscribe((record) => this.#tell({ type: "request", record }));
    this.#budgets = new Budgets(folder, this.#ledger, now);
    const grants = new Grants(join(folder, "grants"), onTrouble);
    this.#upstream = new Upstream(env);
    this.#desk = new CredentialDesk({
      env,
      vault: credentials,
      grants,
      upstream: this.#upstream,
      now,
      leaseTtlMs,
      onRenewed: (origin) => this.#tell({ type: "renewed", at: now().toISOString(), origin }),
      onTrouble,
    });
    this.#callers = new HostCallers(folder);
    this.#granting = new Granting({ env, grants, desk: this.#desk, now });
    this.#states = new SandboxStates(this.#desk, grants);
    this.#server = createServer({ keepAliveTimeout: idleMs, requestTimeout: 0 }, (request, response) =>
      this.#take(request, response),
    );
    this.#server.on("clientError", (_error, stream) => stream.destroy());
  }

  /** Takes a connection from inside a sandbox: HTTP requests of a CLI follow on it. */
  accept(caller: GatewayCaller, stream: Duplex): void {
    stream.on("error", () => stream.destroy());
    const open = [...this.#streams.values()].filter(({ sandboxId }) => sandboxId === caller.sandboxId);
    if (open.length >= streamsAtOnce) {
      stream.destroy();
      return;
    }
    // An answer's head and its first words are two writes: the second must not wait until the first was acknowledged.
    if (stream instanceof Socket) stream.setNoDelay(true);
    this.#streams.set(stream, caller);
    stream.once("close", () => this.#streams.delete(stream));
    this.#server.emit("connection", stream);
  }

  /** The port of host mode. The one from before is taken again where it is free: running CLIs know it. */
  listenLoopback(): Promise<{ port: number }> {
    this.#loopback ??= this.#listen();
    return this.#loopback;
  }

  /** What a run on the host sends in place of a credential. Each call makes a new one. */
  tokenFor(caller: GatewayCaller): string {
    return this.#callers.tokenFor(caller);
  }

  /** Ends the tokens of a run on the host. */
  endRun(sandboxId: string, run: string): void {
    this.#callers.forget(sandboxId, run);
  }

  /**
   * Lets a sandbox use the credentials of the host, and says what its agents are to find in their place. A sandbox
   * that was granted before keeps what it has: a lease that was revoked stays revoked.
   */
  prepare(caller: GatewayCaller, agents: Iterable<BrokeredAgent>, gateway?: string): Promise<Prepared> {
    return this.#granting.prepare(caller, agents, gateway);
  }

  /** Gives a sandbox the right anew, whatever it had: new leases, and the choice among what is there now. */
  grant(caller: GatewayCaller): Promise<void> {
    return this.#granting.grant(caller);
  }

  /** The sandbox is gone, or shall have no credentials any more: its leases and tokens end. */
  async revoke(sandboxId: string): Promise<void> {
    this.#callers.forget(sandboxId);
    await this.#granting.revoke(sandboxId);
  }

  /** The ids of all that were granted something and not revoked, runs on the host among them. */
  grantedSandboxes(): string[] {
    return this.#granting.sandboxes();
  }

  /** Hosts that this sandbox reaches through us only: there a key of somebody else's would work, too. */
  brokeredHosts(sandboxId: string): string[] {
    return this.#granting.hosts(sandboxId);
  }

  status(sandboxId: string): Promise<SandboxAuth> {
    return this.#states.of(sandboxId);
  }

  usage(scope: Scope): Totals {
    return this.#ledger.totals(scope);
  }

  /** The last requests of a sandbox, run or loop, the newest last: every use of a credential is among them. */
  requests(scope: Scope, limit = 100): RequestRecord[] {
    return this.#ledger.recent(limit, ({ sandbox, run, loop }) =>
      scopesOf({ sandboxId: sandbox, run: run ?? undefined, loop: loop ?? undefined }).some(
        ({ kind, id }) => kind === scope.kind && id === scope.id,
      ),
    );
  }

  /** undefined takes the limits away. */
  setBudget(scope: Scope, limits: BudgetLimits | undefined): void {
    this.#budgets.set(scope, limits);
  }

  budget(scope: Scope): BudgetLimits | undefined {
    return this.#budgets.of(scope);
  }

  subscribe(listener: (event: GatewayEvent) => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  async close(): Promise<void> {
    for (const stream of this.#streams.keys()) stream.destroy();
    if (this.#server.listening) {
      this.#server.closeAllConnections();
      await new Promise((resolve) => this.#server.close(resolve));
    }
    this.#upstream.close();
    this.#ledger.close();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const caller = this.#streams.get(request.socket) ?? this.#callers.of(request);
    if (!caller) return unknownCaller(request, response);
    const parts: ExchangeParts = {
      env: this.#env,
      desk: this.#desk,
      budgets: this.#budgets,
      ledger: this.#ledger,
      upstream: this.#upstream,
      underWay: this.#underWay,
      now: this.#now,
      tell: (event) => this.#tell(event),
    };
    void new Exchange(parts, caller, request, response).run();
  }

  async #listen(): Promise<{ port: number }> {
    const before = this.#callers.port;
    const port =
      (before === null ? undefined : await listenOn(this.#server, before)) ??
      (await listenOn(this.#server, 0));
    if (port === undefined) throw new Error("no port of the loopback is free");
    this.#callers.port = port;
    return { port };
  }

  #tell(event: GatewayEvent): void {
    this.#states.note(event);
    this.#listeners.tell(event);
  }
}

function unknownCaller(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(401, { "content-type": "application/json" });
  const message =
    "openTiger: this is the gateway of the sandboxes on this host, and the token is not one of theirs.";
  response.end(JSON.stringify({ type: "error", error: { type: "authentication_error", message } }));
}

/** undefined where the port is in use. */
function listenOn(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off("listening", onListening);
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    };
    const onListening = () => {
      server.off("error", onError);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : undefined);
    };
    server.once("error", onError).once("listening", onListening).listen(port, "127.0.0.1");
  });
}
