import { readFileSync } from "node:fs";

/** CAP_NET_ADMIN for the bridge, CAP_SYS_ADMIN for the mounts of containers. */
const NEEDED = [12n, 21n];

/**
 * Why this process can start no private engine; undefined: it may. The root of a container usually has not the rights for
 * it, and would only find out after everything was installed.
 */
export function whyNoPrivateEngine() {
  if (process.platform !== "linux") return "no engine answers, and a private one needs Linux";
  if (process.getuid?.() !== 0) return "no engine answers, and starting a private one needs root";
  if (!hasRights()) return "no engine answers, and starting a private one needs all rights of root";
  return undefined;
}

function hasRights() {
  const [, held = "0"] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return NEEDED.every((right) => (BigInt(`0x${held}`) >> right) & 1n);
}
