import { mustRun, run } from "../process/run.mjs";

/** Blocks of this size are looked for in 10.128.0.0/9: the first /24 is the bridge's, the second half for networks. */
const BLOCK_BITS = 20;
const FIRST_BLOCK = 10 * 2 ** 24 + 128 * 2 ** 16;
const BLOCK_COUNT = 2 ** (BLOCK_BITS - 9);
const BLOCK_SIZE = 2 ** (32 - BLOCK_BITS);

/**
 * @typedef {object} Block
 * @property {string} range everything the engine's containers can have
 * @property {string} gateway the bridge's own address
 * @property {string} networks what `docker network create` draws from
 */

/**
 * Makes the engine's own bridge, or takes the one that an earlier run left. An engine that is told to use docker0,
 * or no bridge at all, would take or delete that of another engine.
 *
 * @param {import("./paths.mjs").EnginePaths} paths
 * @returns {Promise<Block>}
 */
export async function ensureBridge({ name, seed }) {
  const present = await run("ip", ["-o", "-4", "addr", "show", "dev", name]);
  const address = /inet (10\.\d+\.\d+)\.1\/24/.exec(present.stdout)?.[1];
  if (address) {
    await mustRun("ip", ["link", "set", name, "up"]);
    return blockAt(number(`${address}.0`));
  }
  const block = await unusedBlock(seed);
  if (present.code !== 0) await mustRun("ip", ["link", "add", "name", name, "type", "bridge"]);
  await mustRun("ip", ["addr", "add", `${block.gateway}/24`, "dev", name]);
  await mustRun("ip", ["link", "set", name, "up"]);
  return block;
}

/** @param {import("./paths.mjs").EnginePaths} paths */
export async function removeBridge({ name }) {
  await run("ip", ["link", "del", name]);
}

/**
 * The first block, from a place that depends on the engine's folder, that no route of this machine touches.
 *
 * @param {number} seed
 */
async function unusedBlock(seed) {
  const { stdout } = await mustRun("ip", ["-4", "route", "show", "table", "all"]);
  const taken = [...stdout.matchAll(/(?:^|\s)(\d+\.\d+\.\d+\.\d+)(?:\/(\d+))?/gm)].map((match) => {
    const bits = Number(match[2] ?? 32);
    return { start: number(match[1] ?? ""), end: number(match[1] ?? "") + 2 ** (32 - bits) };
  });
  for (let step = 0; step < BLOCK_COUNT; step += 1) {
    const start = FIRST_BLOCK + ((seed + step) % BLOCK_COUNT) * BLOCK_SIZE;
    if (taken.every((range) => range.end <= start || range.start >= start + BLOCK_SIZE))
      return blockAt(start);
  }
  throw new Error(
    "every block of 10.128.0.0/9 is routed on this machine: no addresses are left for a private engine",
  );
}

/** @param {number} start @returns {Block} */
function blockAt(start) {
  return {
    range: `${dotted(start)}/${BLOCK_BITS}`,
    gateway: dotted(start + 1),
    networks: `${dotted(start + BLOCK_SIZE / 2)}/${BLOCK_BITS + 1}`,
  };
}

/** @param {string} address */
function number(address) {
  return address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

/** @param {number} value */
function dotted(value) {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
