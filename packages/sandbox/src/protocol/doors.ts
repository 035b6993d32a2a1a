/**
 * Where a sandbox without a network interface finds its ways out: all of them are ports of its own loopback, on which
 * the supervisor listens before the first command runs.
 */
export const doorPorts = {
  /** HTTP proxy: CONNECT and requests in absolute form. */
  proxy: 3128,
  /** SOCKS5 without a password. */
  socks: 1080,
  /** The model gateway. */
  gateway: 3129,
  resolver: 53,
} as const;

export const doorAddress = "127.0.0.1";

/** The host's loopback as seen from inside, with exactly the ports that were declared. */
export const hostDoor = { name: "host.docker.internal", address: "127.0.0.2" } as const;

/** What is listened on at the address that the resolver gives for a name. */
export const namePorts = [80, 443] as const;

/** all: no interface, every way out is a door. gateway: an open sandbox, which needs doors to the host only. */
export type DoorKind = "all" | "gateway";

/** Denied under every policy: a sandbox that gets anything but a refusal for it is not guarded. */
export const alwaysDenied = { host: "self-test.opentiger.invalid", port: 443 } as const;

/** What a connection wanted is said in front of its bytes: in JSON, and on a socket as one line. */
export const maxOpeningBytes = 4096;

/** On the exec-stdio carrier: which port inside is to be connected to. */
export const portHeader = "opentiger-port";

/** For programs that ask their environment. The others are led to the doors by the resolver. */
export function doorVariables(): Record<string, string> {
  const proxy = `http://${doorAddress}:${doorPorts.proxy}`;
  const direct = `localhost,127.0.0.0/8,127.0.0.1,::1,${hostDoor.name}`;
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: direct,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
  };
}
