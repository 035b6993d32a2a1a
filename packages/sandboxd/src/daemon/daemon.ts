import { watch } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { listenedHostPorts, SandboxError, type State } from "@opentiger/sandbox";
import type { EgressOpening, NetworkSettings, SandboxRecord } from "@opentiger/schema";
import type { EngineAddress, ListedPort, PublishedPort } from "../api.ts";
import type { Egress } from "../egress/egress.ts";
import type { EgressLog } from "../egress/log/egress-log.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { insideGateway } from "../gateway/placeholders/placeholder.ts";
import { Attached } from "./attached.ts";
import type { Engines } from "./engines.ts";
import { isHostRun } from "./host-runs.ts";
import type { Log } from "./log.ts";
import type { PoolKeeper } from "./pool-keeper.ts";

/** Several files change with one sandbox: one look for all of them. */
const settleMs = 50;

export interface DaemonParts {
  state: State;
  engines: Engines;
  egress: Egress;
  gateway: Gateway;
  networkLog: EgressLog;
  pool: PoolKeeper;
  log: Log;
}

/** Holds the way out of every sandbox of this instance. What it knows it has from their records. */
export class Daemon {
  readonly #parts: DaemonParts;
  readonly #attached = new Map<string, Attached>();
  #watcher: { close(): void } | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(parts: DaemonParts) {
    this.#parts = parts;
  }

  /** Takes up every sandbox that a record tells of, and from then on every change of the records. */
  async adopt(): Promise<void> {
    const folder = join(this.#parts.state.folder, "sandboxes");
    this.#watcher = watch(folder, () => {
      this.#looking ??= setTimeout(() => this.#look(), settleMs);
    }).on("error", () => {});
    this.#forgetGone();
    const { records } = this.#parts.state.records.list();
    const adopted = records.filter(({ state }) => state === "adopted");
    await Promise.all(adopted.map((record) => this.#adoptOne(record)));
    // Also where no sandbox is left: the one before us may have ended before it had parked as many as it should.
    for (const engine of this.#parts.engines.known) this.#parts.pool.look(engine);
  }

  get sandboxes(): readonly Attached[] {
    return [...this.#attached.values()];
  }

  connections(id: string): number {
    return this.#parts.egress.connections(id).length;
  }

  /** Brings the log up to date with what open connections have carried. */
  count(): void {
    this.#parts.egress.count();
  }

  /** Opens the way out of a sandbox; when this returns, its requests are answered. */
  async attach(id: string, engine: EngineAddress | undefined): Promise<void> {
    const record = this.#record(id);
    if (engine) this.#parts.engines.remember(record.engine, engine);
    const attached = this.#attached.get(id) ?? this.#newAttached(record);
    this.#attached.set(id, attached);
    attached.record = record;
    await attached.open();
    await this.#republish(attached);
    // It may have come from the pool, or would have if that were what it should be.
    this.#parts.pool.look(record.engine);
  }

  async detach(id: string): Promise<void> {
    const attached = this.#attached.get(id);
    this.#attached.delete(id);
    this.#parts.egress.closeSandbox(id);
    await attached?.close();
  }

  find(name: string): Attached {
    const record = this.#parts.state.records.findByName(name);
    const attached = record && this.#attached.get(record.id);
    if (attached) return attached;
    if (!record)
      throw new SandboxError("not_found", `there is no sandbox called ${name}`, {
        remedy: "see `docker sandbox ls`",
      });
    const fresh = this.#newAttached(record);
    this.#attached.set(record.id, fresh);
    return fresh;
  }

  /** New rules act at once: on what is asked from now on, and on connections that they no longer allow. */
  async changeNetwork(
    name: string,
    change: (settings: NetworkSettings) => NetworkSettings,
  ): Promise<NetworkSettings> {
    const attached = this.find(name);
    const before = attached.record.network;
    const record = this.#parts.state.records.update(attached.record.id, (latest) => ({
      ...latest,
      network: sameKind(name, latest.network, change(latest.network)),
    }));
    if (!record) throw new SandboxError("not_found", `the sandbox ${name} is being removed`);
    attached.record = record;
    this.#parts.egress.recheck(record.id);
    if (String(listenedHostPorts(before)) !== String(listenedHostPorts(record.network)))
      await attached.setDoors();
    return record.network;
  }

  async declareHostPorts(name: string, ports: readonly number[]): Promise<NetworkSettings> {
    return this.changeNetwork(name, (latest) => ({
      ...latest,
      hostPorts: [...new Set([...latest.hostPorts, ...ports])].toSorted((left, right) => left - right),
    }));
  }

  /** Those that are remembered, and whether they are open. */
  ports(name: string): ListedPort[] {
    const { record, ports } = this.find(name);
    const open = new Set(ports.map(({ published }) => published));
    return record.ports.map((port) => ({ ...port, open: open.has(port.published) }));
  }

  async publish(name: string, inside: number, published: number | undefined): Promise<PublishedPort> {
    const attached = this.find(name);
    const kept = attached.record.ports.find((port) => port.inside === inside);
    const port = await attached.publish(inside, published ?? kept?.published);
    this.#rememberPorts(attached, (ports) => [...without(ports, port.published), port]);
    return port;
  }

  unpublish(name: string, published: number): void {
    const attached = this.find(name);
    const kept = attached.record.ports.some((port) => port.published === published);
    if (!attached.unpublish(published) && !kept) {
      throw new SandboxError("not_found", `${name} has no port published as ${published}`, {
        remedy: `see \`docker sandbox port ${name}\``,
      });
    }
    this.#rememberPorts(attached, (ports) => without(ports, published));
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    clearTimeout(this.#looking);
    await Promise.all([this.#parts.pool.close(), ...[...this.#attached.keys()].map((id) => this.detach(id))]);
  }

  #newAttached(record: SandboxRecord): Attached {
    const { state, engines, log } = this.#parts;
    const attached: Attached = new Attached(record, {
      stateFolder: state.folder,
      engines,
      take: (opening, stream) => this.#take(attached, opening, stream),
      onTrouble: (sentence) => log("warn", sentence, { sandbox: record.name }),
    });
    return attached;
  }

  #take(attached: Attached, opening: EgressOpening, stream: Duplex): void {
    const { egress, gateway } = this.#parts;
    const { id, name } = attached.record;
    if (opening.kind === "gateway") return gateway.accept({ sandboxId: id, sandboxName: name }, stream);
    egress.accept(
      {
        id,
        name,
        settings: () => attached.record.network,
        brokered: (host) => (gateway.brokeredHosts(id).includes(host) ? insideGateway : undefined),
      },
      opening,
      stream,
    );
  }

  async #adoptOne(record: SandboxRecord): Promise<void> {
    try {
      await this.attach(record.id, undefined);
    } catch (error) {
      // Its supervisor answers "no network" meanwhile; the next start of the sandbox attaches it again.
      this.#parts.log("warn", "not adopted", { sandbox: record.name, error: String(error) });
    }
  }

  /** One that another program has taken meanwhile stays remembered: it is tried again at the next start. */
  async #republish(attached: Attached): Promise<void> {
    const { name, ports } = attached.record;
    for (const { inside, published } of ports) {
      await attached.publish(inside, published).catch((error: unknown) => {
        this.#parts.log("warn", "a port is not published", {
          sandbox: name,
          published,
          error: String(error),
        });
      });
    }
  }

  /** Somebody else may have removed a sandbox, or changed its record. One that cannot be read is as it was. */
  #look(): void {
    this.#looking = undefined;
    this.#forgetGone();
    for (const [id, attached] of this.#attached) {
      const latest = this.#readable(id);
      if (!latest) continue;
      const changed = JSON.stringify(latest.network) !== JSON.stringify(attached.record.network);
      attached.record = latest;
      if (changed) this.#parts.egress.recheck(id);
    }
  }

  /** Also those that were removed while nobody was here to see it: whatever is kept of them has their id. */
  #forgetGone(): void {
    const { networkLog, gateway, state } = this.#parts;
    const known = new Set([...this.#attached.keys(), ...networkLog.sandboxes(), ...gateway.knownSandboxes()]);
    for (const id of known) if (!isHostRun(id) && !state.records.has(id)) void this.#forget(id);
  }

  /** A sandbox that is gone leaves no connection, no lease and no log behind. */
  async #forget(id: string): Promise<void> {
    const { networkLog, gateway, log } = this.#parts;
    // Its connections first: they have something to log when they end.
    const detached = await Promise.allSettled([this.detach(id)]);
    const ended = await Promise.allSettled([networkLog.drop(id), gateway.forget(id)]);
    for (const each of [...detached, ...ended]) {
      if (each.status === "rejected")
        log("warn", "not all was forgotten", { sandbox: id, error: String(each.reason) });
    }
  }

  #readable(id: string): SandboxRecord | undefined {
    try {
      return this.#parts.state.records.read(id);
    } catch {
      return undefined;
    }
  }

  #record(id: string): SandboxRecord {
    const record = this.#parts.state.records.read(id);
    if (record) return record;
    throw new SandboxError("not_found", `there is no record of a sandbox ${id}`);
  }

  /** In the record, from which they come back whenever the sandbox or sandboxd does. */
  #rememberPorts(attached: Attached, change: (ports: PublishedPort[]) => PublishedPort[]): void {
    const record = this.#parts.state.records.update(attached.record.id, (latest) => ({
      ...latest,
      ports: change(latest.ports),
    }));
    if (record) attached.record = record;
  }
}

function without(ports: readonly PublishedPort[], published: number): PublishedPort[] {
  return ports.filter((port) => port.published !== published);
}

/** A container has an interface or it has none, from its start to its end: only its maker can make it again. */
function sameKind(name: string, before: NetworkSettings, after: NetworkSettings): NetworkSettings {
  if ((before.policy === "open") === (after.policy === "open")) return after;
  throw new SandboxError("unsupported", `to or from open the sandbox ${name} has to be made again`, {
    remedy: `docker sandbox network proxy ${name} --policy ${after.policy}`,
  });
}
