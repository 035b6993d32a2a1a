import type { Socket } from "node:net";
import { errno, type NetworkSettings } from "@opentiger/schema";
import type { Address } from "../host/address.ts";
import { isThisMachine, type Target } from "../host/target.ts";
import { type AddressBlock, blockedAddress } from "../policy/address-check.ts";
import type { Decision } from "../policy/decide.ts";
import { ownAddresses } from "../policy/ranges.ts";
import { type Connect, connectDirectly, connectFirst } from "./connect.ts";
import { proxyTunnel } from "./proxy-tunnel.ts";
import { type Resolve, resolver, systemResolver } from "./resolve.ts";
import type { Turns } from "./turns.ts";
import { type Carriage, type UpstreamProxy, upstreamProxy } from "./upstream-proxy.ts";

export interface DialOptions {
  env: NodeJS.ProcessEnv;
  connect?: Connect;
  ownAddresses?: () => Address[];
}

export interface Call {
  target: Target;
  /** What the policy said of the target: it must have allowed it. */
  decision: Decision;
  settings: NetworkSettings;
  carriage: Carriage;
  /** The line in which the lookups of one sandbox wait. */
  turns: Turns;
  signal: AbortSignal;
}

export type Dialled =
  | {
      state: "connected";
      socket: Socket;
      /** What was checked: the address at the other end, or through a proxy what we know of the name. */
      addresses: string[];
      /** Set when the socket is a connection to the host's proxy, which wants the request in absolute form. */
      proxy?: UpstreamProxy;
    }
  | { state: "refused"; block: AddressBlock }
  | { state: "failed"; reason: string };

/**
 * From an allowed target to a connection: resolve once, check every answer, connect to one that passed. There is no
 * second resolution, so a name that changes its mind in between changes nothing.
 *
 * Through a proxy of the host the name goes out as it is and the proxy resolves it. Where this machine can resolve it
 * too, all of its addresses must pass. Where it cannot, which is usual behind such proxies, the name alone was checked
 * and what it leads to is up to the proxy.
 */
export class Dialler {
  readonly #env: NodeJS.ProcessEnv;
  readonly #connect: Connect;
  readonly #resolve: Resolve;
  readonly #own: () => Address[];

  constructor(options: DialOptions) {
    this.#env = options.env;
    this.#connect = options.connect ?? connectDirectly;
    this.#resolve = resolver(options.env);
    this.#own = options.ownAddresses ?? ownAddresses;
  }

  async dial(call: Call): Promise<Dialled> {
    try {
      // Before any thought of a proxy: its localhost is another one.
      if (isThisMachine(call.target.host)) return await this.#toAny(["127.0.0.1", "::1"], call);
      const proxy = upstreamProxy(this.#env, call.target, call.carriage);
      return await (proxy ? this.#throughProxy(proxy, call) : this.#directly(call));
    } catch (error) {
      return { state: "failed", reason: reasonOf(error) };
    }
  }

  /** Whether a connection that was made to these addresses may stay. */
  blocked(
    settings: NetworkSettings,
    decision: Decision,
    addresses: readonly string[],
  ): AddressBlock | undefined {
    return addresses
      .map((address) => blockedAddress(settings, decision, address, this.#own))
      .find((block) => block !== undefined);
  }

  async #directly(call: Call): Promise<Dialled> {
    const answers = await this.#addresses(call);
    const open = answers.filter((address) => !this.blocked(call.settings, call.decision, [address]));
    const block = open.length === 0 && this.blocked(call.settings, call.decision, answers);
    return block ? { state: "refused", block } : await this.#toAny(open, call);
  }

  async #throughProxy(proxy: UpstreamProxy, call: Call): Promise<Dialled> {
    const known = await this.#addresses(call).catch(() => []);
    const block = this.blocked(call.settings, call.decision, known);
    if (block) return { state: "refused", block };
    const doors = await systemResolver(proxy.host);
    const { socket } = await connectFirst(this.#connect, doors, proxy.port, call.signal);
    if (call.carriage === "request") return { state: "connected", socket, addresses: known, proxy };
    const stop = () => socket.destroy();
    call.signal.addEventListener("abort", stop, { once: true });
    socket.on("error", stop);
    try {
      await proxyTunnel(socket, proxy, call.target);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      call.signal.removeEventListener("abort", stop);
    }
    return { state: "connected", socket, addresses: known };
  }

  async #toAny(addresses: readonly string[], call: Call): Promise<Dialled> {
    const { socket, address } = await connectFirst(this.#connect, addresses, call.target.port, call.signal);
    return { state: "connected", socket, addresses: [address] };
  }

  async #addresses({ target, turns }: Call): Promise<string[]> {
    if (target.host.kind !== "name") return [target.host.text];
    return await turns.run(() => this.#resolve(target.host.text));
  }
}

/** Node's messages carry addresses and system calls; the code says it in a word. */
function reasonOf(error: unknown): string {
  const code = errno(error);
  const known: Record<string, string> = {
    ENOTFOUND: "the name does not exist",
    ENODATA: "the name has no address",
    EAI_AGAIN: "the name cannot be resolved at the moment",
    ECONNREFUSED: "the connection was refused",
    ECONNRESET: "the connection was reset",
    ETIMEDOUT: "the connection timed out",
    EHOSTUNREACH: "the host cannot be reached",
    ENETUNREACH: "the network cannot be reached",
  };
  if (code) return known[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}
