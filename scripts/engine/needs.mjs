/**
 * What a private engine, its base image and the tests need. The docker client is a package of its own from Debian 13 on.
 *
 * @type {readonly import("../packages/install.mjs").Need[]}
 */
export const ENGINE_NEEDS = [
  { command: "dockerd", packages: ["docker.io"] },
  { command: "docker", packages: ["docker-cli", "docker.io"] },
  { command: "iptables", packages: ["iptables"] },
  { command: "ip", packages: ["iproute2"] },
  { command: "debootstrap", packages: ["debootstrap"] },
  { command: "openssl", packages: ["openssl"] },
  { command: "redis-server", packages: ["redis-server"], optional: true },
  { command: "runsc", packages: ["runsc"], optional: true },
];
