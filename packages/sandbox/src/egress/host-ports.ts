import type { NetworkSettings } from "@opentiger/schema";

const localPort = /^localhost:(\d{1,5})$/;

/**
 * The ports of the host for which a sandbox listens: those declared, and those that a rule names. Whether a connection is
 * let through is decided outside, where it arrives.
 */
export function listenedHostPorts({ hostPorts, allowHosts, bypassHosts }: NetworkSettings): number[] {
  const ruled = [...allowHosts, ...bypassHosts].flatMap((rule) => localPort.exec(rule)?.[1] ?? []);
  return [...new Set([...hostPorts, ...ruled.map(Number)])].toSorted((left, right) => left - right);
}
