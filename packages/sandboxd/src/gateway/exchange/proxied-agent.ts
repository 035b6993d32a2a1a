import { Agent, type AgentOptions } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { proxyTunnel } from "../../egress/dial/proxy-tunnel.ts";
import { type UpstreamProxy, upstreamProxy } from "../../egress/dial/upstream-proxy.ts";
import { parseTarget, type Target } from "../../egress/host/target.ts";

type ConnectOptions = Parameters<Agent["createConnection"]>[0];
type Connected = (error: Error | null, stream: Duplex) => void;

/** TLS to the model's API, inside a tunnel through the host's proxy where HTTPS_PROXY names one for it. */
export class ProxiedAgent extends Agent {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv, options: AgentOptions) {
    super(options);
    this.#env = env;
  }

  override createConnection(options: ConnectOptions, connected?: Connected): Duplex | null | undefined {
    // Node's own type wants a stream beside an error; there is none.
    const fail = (error: unknown) => connected?.(asError(error), undefined as unknown as Duplex);
    try {
      const target = targetOf(options);
      const proxy = target && upstreamProxy(this.#env, target, "tunnel");
      if (!proxy) return super.createConnection(options, connected);
      tunnelTo(proxy, target)
        .then((socket) => {
          // Node's types do not know that what is given here is handed on to `tls.connect`.
          const through: ConnectOptions & { socket: Socket } = { ...options, socket };
          return super.createConnection(through);
        })
        .then((stream) => stream && connected?.(null, stream), fail);
    } catch (error) {
      queueMicrotask(() => fail(error));
    }
    return undefined;
  }
}

async function tunnelTo(proxy: UpstreamProxy, target: Target): Promise<Socket> {
  const socket = connect({ host: proxy.host, port: proxy.port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => socket.destroy());
  try {
    await proxyTunnel(socket, proxy, target);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function targetOf({ host, port }: ConnectOptions): Target | undefined {
  const name = host?.includes(":") ? `[${host}]` : host;
  const target = parseTarget(`${name}:${port ?? 443}`);
  return target.ok ? target.value : undefined;
}
