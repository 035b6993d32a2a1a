import { readFileSync } from "node:fs";
import { run } from "../process/run.mjs";

const TOOLS = ["iptables", "iptables-nft", "iptables-legacy"];

/**
 * The private engine is started with `iptables: false`, because an engine that manages rules flushes the chains of
 * every other engine on the machine when it starts. These few rules, in chains that carry the engine's own name, give
 * its containers their way out, and are all that has to be removed.
 *
 * @param {string} name
 * @param {import("./bridge.mjs").Block} block
 */
const rules = (name, { range }) => [
  {
    table: "nat",
    from: "POSTROUTING",
    chain: name,
    rule: ["-s", range, "!", "-d", range, "-j", "MASQUERADE"],
  },
  { table: "filter", from: "FORWARD", chain: name, rule: ["-s", range, "-j", "ACCEPT"] },
  {
    table: "filter",
    from: "FORWARD",
    chain: name,
    rule: ["-d", range, "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED", "-j", "ACCEPT"],
  },
];

/**
 * Makes the rules, replacing those of an earlier run. Returns false where the kernel has no working iptables: then
 * containers have no way out, and everything else works.
 *
 * @param {import("./paths.mjs").EnginePaths} paths
 * @param {import("./bridge.mjs").Block} block
 */
export async function openFirewall({ name }, block) {
  const tool = await workingTool(name);
  if (!tool) return false;
  await closeFirewall({ name });
  for (const { table, from, chain, rule } of rules(name, block)) {
    await iptables(tool, table, "-N", chain);
    if ((await iptables(tool, table, "-C", from, "-j", chain)) !== 0)
      await iptables(tool, table, "-I", from, "-j", chain);
    if ((await iptables(tool, table, "-A", chain, ...rule)) !== 0) return false;
  }
  return true;
}

/**
 * Removes our chains and the jumps to them, whichever of the two iptables they were made with.
 *
 * @param {Pick<import("./paths.mjs").EnginePaths, "name">} paths
 */
export async function closeFirewall({ name }) {
  for (const tool of hasOlderTables() ? TOOLS : TOOLS.slice(0, -1)) {
    for (const { table, from } of [
      { table: "nat", from: "POSTROUTING" },
      { table: "filter", from: "FORWARD" },
    ]) {
      if ((await iptables(tool, table, "-n", "-L", name)) !== 0) continue;
      while ((await iptables(tool, table, "-D", from, "-j", name)) === 0);
      await iptables(tool, table, "-F", name);
      await iptables(tool, table, "-X", name);
    }
  }
}

/**
 * Some kernels have only one of nftables and the older tables: the first tool that can really make a chain is used.
 *
 * @param {string} name
 */
async function workingTool(name) {
  const probe = `${name}p`;
  for (const tool of TOOLS) {
    const made = await iptables(tool, "nat", "-N", probe);
    await iptables(tool, "nat", "-X", probe);
    if (made === 0) return tool;
  }
  return undefined;
}

/** Only looking at the older tables brings them into being, so they are not looked at unless they are in use. */
function hasOlderTables() {
  try {
    return readFileSync("/proc/net/ip_tables_names", "utf8").trim() !== "";
  } catch {
    return false;
  }
}

/** @param {string} tool @param {string} table @param {...string} args */
async function iptables(tool, table, ...args) {
  return (await run(tool, ["-w", "10", "-t", table, ...args])).code;
}
