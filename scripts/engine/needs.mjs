/** @typedef {import("../packages/install.mjs").Need} Need */

/**
 * What a private engine and its base image need. The docker client is a package of its own from Debian 13 on.
 *
 * @type {readonly Need[]}
 */
export const ENGINE_NEEDS = [
  { command: "dockerd", packages: ["docker.io"] },
  { command: "docker", packages: ["docker-cli", "docker.io"] },
  { command: "iptables", packages: ["iptables"] },
  { command: "ip", packages: ["iproute2"] },
  { command: "debootstrap", packages: ["debootstrap"] },
  { command: "openssl", packages: ["openssl"] },
];

/**
 * What only tests need beside it: whoever looks at the demo does not wait for their download. The engine must find runsc
 * when it starts, to have it as a runtime.
 *
 * @type {readonly Need[]}
 */
export const TEST_NEEDS = [
  { command: "redis-server", packages: ["redis-server"], optional: true },
  { command: "runsc", packages: ["runsc"], optional: true },
];
