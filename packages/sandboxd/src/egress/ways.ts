import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { access } from "./access.ts";
import type { Dialled, Dialler } from "./dial/dial.ts";
import type { Carriage, UpstreamProxy } from "./dial/upstream-proxy.ts";
import type { Target } from "./host/target.ts";
import { Link, type LinkView } from "./link.ts";
import type { EgressLog } from "./log/egress-log.ts";
import { invalidHost } from "./log/entry.ts";
import { type Place, Places } from "./places.ts";
import type { Decision } from "./policy/decide.ts";
import { addressRefusal, type Refusal } from "./refusal.ts";
import type { EgressSandbox } from "./sandbox.ts";

/** Enough for the most parallel package manager, and few enough that one sandbox does not use up the host's sockets. */
const mostLinks = 512;

export interface OpenWay {
  state: "open";
  link: Link;
  socket: Socket;
  decision: Decision;
  proxy: UpstreamProxy | undefined;
}

export type Way = OpenWay | { state: "refused"; refusal: Refusal } | { state: "failed"; reason: string };

/** Every way out there is at the moment, by sandbox: opened here, written down here, and cut here. */
export class Ways {
  readonly #dialler: Dialler;
  readonly #log: EgressLog;
  readonly #now: () => Date;
  readonly #places = new Places();

  constructor(dialler: Dialler, log: EgressLog, now: () => Date) {
    this.#dialler = dialler;
    this.#log = log;
    this.#now = now;
  }

  /** Takes a stream of a sandbox into care; false when it has too many already. */
  admit(sandbox: EgressSandbox, stream: Duplex): boolean {
    const place = this.#places.of(sandbox);
    if (place.streams.size >= mostLinks) return false;
    place.streams.add(stream);
    stream.once("close", () => {
      place.streams.delete(stream);
      this.#places.leave(place);
    });
    return true;
  }

  /** Decides, resolves, checks and connects. What does not come to a connection is written down here. */
  async open(sandbox: EgressSandbox, target: Target, carriage: Carriage): Promise<Way> {
    const answer = access(sandbox, target);
    if (answer.verdict === "blocked") return this.#refused(sandbox, target, answer.refusal);
    const place = this.#places.of(sandbox);
    if (place.links.size >= mostLinks) return this.#refused(sandbox, target, tooMany);
    const link = new Link(target, answer.decision.rule, this.#now());
    place.links.add(link);
    const { decision } = answer;
    const settings = sandbox.settings();
    const { turns } = place;
    const dialled = await this.#dialler.dial({
      target,
      decision,
      settings,
      carriage,
      turns,
      signal: link.signal,
    });
    if (dialled.state === "connected") return this.#connected(place, link, decision, dialled);
    this.#places.end(place, link);
    if (dialled.state === "refused") {
      return this.#refused(sandbox, target, addressRefusal(sandbox.name, target, dialled.block));
    }
    this.#record(sandbox, target, "failed", decision.rule, dialled.reason);
    return dialled;
  }

  allowed(sandbox: EgressSandbox, link: Link): void {
    this.#record(sandbox, link.target, "allowed", link.rule);
  }

  refused(sandbox: EgressSandbox, target: Target | undefined, refusal: Refusal): void {
    this.#record(sandbox, target, "blocked", refusal.rule, refusal.why);
  }

  /** Cuts what the rules of now do not allow. */
  recheck(sandboxId: string): void {
    const place = this.#places.get(sandboxId);
    for (const link of place?.links ?? []) {
      const rule = place && this.#noLongerAllowed(place.sandbox, link);
      if (!place || rule === undefined) continue;
      link.cut();
      this.#record(place.sandbox, link.target, "cut", rule);
    }
  }

  closeSandbox(sandboxId: string): void {
    const place = this.#places.get(sandboxId);
    if (!place) return;
    for (const link of place.links) link.cut();
    for (const stream of place.streams) stream.destroy();
  }

  closeAll(): void {
    for (const place of this.#places.all()) this.closeSandbox(place.sandbox.id);
    this.count();
  }

  views(sandboxId: string): LinkView[] {
    return [...(this.#places.get(sandboxId)?.links ?? [])].map((link) => link.view());
  }

  /** Brings the bytes of open links into the log. */
  count(): void {
    for (const place of this.#places.all()) {
      for (const link of place.links) this.#countLink(place, link);
    }
  }

  #connected(place: Place, link: Link, decision: Decision, dialled: Dialled & { state: "connected" }): Way {
    const { socket } = dialled;
    link.attach(socket, dialled.addresses);
    socket.once("close", () => {
      this.#countLink(place, link);
      this.#places.end(place, link);
    });
    // The rules may have changed while it was dialled.
    if (link.signal.aborted) return { state: "failed", reason: "the network policy changed" };
    return { state: "open", link, socket, decision, proxy: dialled.proxy };
  }

  #noLongerAllowed(sandbox: EgressSandbox, link: Link): string | undefined {
    const answer = access(sandbox, link.target);
    if (answer.verdict === "blocked") return answer.refusal.rule;
    if (answer.decision.naming < link.needed) return "no rule names it closely enough";
    const block = this.#dialler.blocked(sandbox.settings(), answer.decision, link.addresses);
    if (block) return block.rule;
    link.rule = answer.decision.rule;
    return undefined;
  }

  #refused(sandbox: EgressSandbox, target: Target, refusal: Refusal): Way {
    this.refused(sandbox, target, refusal);
    return { state: "refused", refusal };
  }

  #record(
    sandbox: EgressSandbox,
    target: Target | undefined,
    verdict: "allowed" | "blocked" | "failed" | "cut",
    rule: string,
    reason?: string,
  ): void {
    const host = target?.host.text ?? invalidHost;
    const entry = { host, port: target?.port ?? 0, verdict, rule };
    this.#log.record(sandbox.id, reason === undefined ? entry : { ...entry, reason });
  }

  #countLink(place: Place, link: Link): void {
    const { host, port } = link.target;
    this.#log.count(place.sandbox.id, { host: host.text, port }, link.uncounted());
  }
}

const tooMany: Refusal = {
  rule: "too many connections",
  why: `A sandbox has at most ${mostLinks} connections to the outside at a time.`,
  remedy: "Close some of them first.",
};
