import { z } from "zod";

/**
 * open: attached to a network of the engine, nothing is checked. allow: every public host. balanced: a preset of
 * models, package registries, git hosts and OS archives. deny: only what is listed.
 */
export const networkPolicies = ["open", "allow", "balanced", "deny"] as const;
export const networkPolicy = z.enum(networkPolicies);
export type NetworkPolicy = z.infer<typeof networkPolicy>;

/** The rules of one sandbox, as the user wrote them and in canonical form. */
export const networkSettings = z.object({
  policy: networkPolicy.default("allow"),
  allowHosts: z.array(z.string()).default([]),
  blockHosts: z.array(z.string()).default([]),
  /** Reached by an opaque tunnel although a credential for it is brokered: what is sent there is not seen. */
  bypassHosts: z.array(z.string()).default([]),
  allowCidrs: z.array(z.string()).default([]),
  blockCidrs: z.array(z.string()).default([]),
  bypassCidrs: z.array(z.string()).default([]),
  /** Ports of the host's loopback that the sandbox reaches as host.docker.internal. */
  hostPorts: z.array(z.number().int().min(1).max(65_535)).default([]),
});
export type NetworkSettings = z.infer<typeof networkSettings>;

export const defaultNetworkSettings: NetworkSettings = networkSettings.parse({});

/**
 * What a connection inside a sandbox wanted, told by the supervisor in front of its bytes. It carries no authority:
 * the policy is decided outside.
 */
export const egressOpening = z.discriminatedUnion("kind", [
  /** Taken on the HTTP proxy's port: proxy requests follow. */
  z.object({ kind: z.literal("proxy") }),
  /** Taken on the SOCKS5 port: its greeting follows. */
  z.object({ kind: z.literal("socks") }),
  /** Taken on the address that the sandbox's resolver gave for this name. */
  z.object({
    kind: z.literal("name"),
    host: z.string().max(1024),
    port: z.number().int().min(1).max(65_535),
  }),
  /** Taken on host.docker.internal. */
  z.object({ kind: z.literal("host"), port: z.number().int().min(1).max(65_535) }),
  /** Taken on the port of the model gateway: HTTP requests of a CLI follow. */
  z.object({ kind: z.literal("gateway") }),
]);
export type EgressOpening = z.infer<typeof egressOpening>;
