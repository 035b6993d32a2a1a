import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { BudgetLimits } from "./budgets/budget.ts";
import { Budgets } from "./budgets/budgets.ts";
import { dayOf, type GatewayCaller, type Scope } from "./caller.ts";
import { HostCallers } from "./callers.ts";
import { CredentialDesk } from "./credentials/desk.ts";
import { GivenKeys, type Keys } from "./credentials/given-keys.ts";
import { Granting, type Prepared } from "./credentials/granting.ts";
import { Grants } from "./credentials/grants.ts";
import type { CredentialSource } from "./credentials/vault-port.ts";
import { type GatewayEvent, Listeners } from "./events.ts";
import { Exchange, type ExchangeParts } from "./exchange/exchange.ts";
import { Upstream } from "./exchange/upstream.ts";
import { KnownAnswers } from "./logins/known-answers.ts";
import { LoginTrial } from "./logins/login-trial.ts";
import type { LoginProof, ProofRequest } from "./logins/proof.ts";
import { listenOnLoopback, unknownCaller } from "./loopback.ts";
import { Ledger } from "./metering/ledger.ts";
import type { RequestRecord } from "./metering/record.ts";
import type { Totals } from "./metering/totals.ts";
import type { BrokeredAgent } from "./placeholders/placeholders.ts";
import { RunActivity } from "./run-activity.ts";
import { type BoundRun, RunBindings } from "./run-bindings.ts";
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
  readonly #given: GivenKeys;
  readonly #granting: Granting;
  readonly #desk: CredentialDesk;
  readonly #callers: HostCallers;
  readonly #server: Server;
  readonly #streams = new Map<Duplex, GatewayCaller>();
  readonly #underWay = new UnderWay();
  readonly #bindings: RunBindings;
  readonly #activity: RunActivity;
  readonly #listeners = new Listeners();
  readonly #states: SandboxStates;
  readonly #known: KnownAnswers;
  readonly #trial: LoginTrial;
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
    this.#given = new GivenKeys(env);
    this.#desk = new CredentialDesk({
      env,
      given: this.#given,
      vault: credentials,
      grants,
      upstream: this.#upstream,
      now,
      leaseTtlMs,
      onRenewed: (origin) => this.#tell({ type: "renewed", at: now().toISOString(), origin }),
      onTrouble,
    });
    this.#callers = new HostCallers(folder);
    this.#bindings = new RunBindings(folder);
    this.#activity = new RunActivity(now);
    this.#granting = new Granting({ env, grants, desk: this.#desk, now });
    this.#states = new SandboxStates(this.#desk, grants);
    this.#known = new KnownAnswers(now);
    this.#trial = new LoginTrial({
      env,
      desk: this.#desk,
      upstream: this.#upstream,
      known: this.#known,
      now,
    });
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
    this.#loopback ??= listenOnLoopback(this.#server, this.#callers);
    return this.#loopback;
  }

  /** What a run on the host sends in place of a credential. Each call makes a new one. */
  tokenFor(caller: GatewayCaller): string {
    return this.#callers.tokenFor(caller);
  }

  /** Ends the tokens of a run on the host. */
  endRun(sandboxId: string, run: string): void {
    this.#callers.forget(sandboxId, run);
    this.#budgets.set({ kind: "run", id: run }, undefined);
  }

  /** From now on every request of the sandbox counts for the run and its loop, whatever connection it comes on. */
  bindRun(sandboxId: string, bound: BoundRun): void {
    this.#bindings.bind(sandboxId, bound);
  }

  /** The run is over: its limits go, what it used stays known. Without a run, whichever the sandbox has. */
  unbindRun(sandboxId: string, run?: string): void {
    const ended = this.#bindings.unbind(sandboxId, run);
    if (ended) this.#budgets.set({ kind: "run", id: ended.run }, undefined);
  }

  /**
   * Lets a sandbox use the credentials of the host, and says what its agents are to find in their place. A sandbox
   * that was granted before keeps what it has: a lease that was revoked stays revoked.
   */
  prepare(caller: GatewayCaller, agents: Iterable<BrokeredAgent>, gateway?: string): Promise<Prepared> {
    return this.#granting.prepare(caller, agents, gateway);
  }

  /** API keys that whoever made a sandbox has, for this sandbox alone. They are kept in memory only. */
  keepKeys(sandboxId: string, keys: Keys): void {
    this.#given.keep(sandboxId, keys);
  }

  /** Gives a sandbox the right anew, whatever it had: new leases, and the choice among what is there now. */
  grant(caller: GatewayCaller): Promise<void> {
    return this.#granting.grant(caller);
  }

  /** The sandbox is gone: nothing that was given or said to it is kept. */
  async forget(sandboxId: string): Promise<void> {
    this.unbindRun(sandboxId);
    this.#budgets.set({ kind: "sandbox", id: sandboxId }, undefined);
    await this.revoke(sandboxId);
  }

  /** It shall have no credentials any more: its leases and tokens end. */
  async revoke(sandboxId: string): Promise<void> {
    this.#callers.forget(sandboxId);
    this.#given.forget(sandboxId);
    await this.#granting.revoke(sandboxId);
  }

  /** The ids of all that were granted something or are bound to a run, runs on the host among them. */
  knownSandboxes(): string[] {
    return [...new Set([...this.#granting.sandboxes(), ...this.#bindings.sandboxes()])];
  }

  /** Hosts that this sandbox reaches through us only: there a key of somebody else's would work, too. */
  brokeredHosts(sandboxId: string): string[] {
    return this.#granting.hosts(sandboxId);
  }

  status(sandboxId: string): Promise<SandboxAuth> {
    return this.#states.of(sandboxId);
  }

  /** Whether a login is good, by what its API says to it now or said to an agent some hours ago. */
  prove(request: ProofRequest, signal: AbortSignal): Promise<LoginProof> {
    return this.#trial.prove(request, signal);
  }

  usage(scope: Scope): Totals {
    return this.#ledger.totals(scope);
  }

  /** The last requests of a sandbox, run or loop, the newest last: every use of a credential is among them. */
  requests(scope: Scope, limit = 100): RequestRecord[] {
    return this.#ledger.recent(limit, scope);
  }

  /** What is under way for a run, and when a byte last went to its model or came from it. */
  activity(run: string): { lastByteAt: string | null; inFlight: number } {
    const { lastByteAt, inFlight } = this.#activity.of(run);
    const { requests, lastAt } = this.usage({ kind: "run", id: run });
    // One that asked a sandboxd before us is known by what it was answered.
    const before = requests > 0 ? lastAt : null;
    return { lastByteAt: lastByteAt?.toISOString() ?? before, inFlight };
  }

  /** What all loops use together today. */
  today(): Scope {
    return dayOf(this.#now());
  }

  /** undefined takes the limits away. What is said of a day holds for every day. */
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
    const caller = this.#inside(request) ?? this.#callers.of(request);
    if (!caller) return unknownCaller(request, response);
    const parts: ExchangeParts = {
      env: this.#env,
      desk: this.#desk,
      budgets: this.#budgets,
      ledger: this.#ledger,
      upstream: this.#upstream,
      underWay: this.#underWay,
      activity: this.#activity,
      known: this.#known,
      now: this.#now,
      tell: (event) => this.#tell(event),
    };
    void new Exchange(parts, caller, request, response).run();
  }

  /** Who asks from inside a sandbox, for the run that it works for now: a connection may be older than that. */
  #inside({ socket }: IncomingMessage): GatewayCaller | undefined {
    const caller = this.#streams.get(socket);
    return caller && { ...caller, ...this.#bindings.of(caller.sandboxId) };
  }

  #tell(event: GatewayEvent): void {
    this.#states.note(event);
    this.#listeners.tell(event);
  }
}
