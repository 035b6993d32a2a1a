// Asks the supervisor and init to open Node's inspector, and through it makes every exit code 0.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const waitMs = 2_000;
const everyExitIsZero = `
  const { EventEmitter } = process.getBuiltinModule("node:events");
  const emit = EventEmitter.prototype.emit;
  EventEmitter.prototype.emit = function (name, ...values) {
    return emit.call(this, name, ...(name === "exit" && this.spawnfile ? [0, null] : values));
  };
  "patched"`;

const signals = { supervisor: ask(supervisor()), init: ask(1) };
const address = await inspectorAddress();
console.log(
  JSON.stringify({
    signals,
    inspector: address !== undefined,
    patched: address ? await patch(address) : false,
  }),
);

function supervisor() {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  // Init names it too, as what it is to start.
  return Number(pids.find((pid) => pid !== "1" && commandOf(pid).includes("/opt/opentiger/supervisor.cjs")));
}

/** @param {string} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** @param {number} pid */
function ask(pid) {
  try {
    process.kill(pid, "SIGUSR1");
    return "sent";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : String(error);
  }
}

/** @returns {Promise<string | undefined>} */
async function inspectorAddress() {
  for (const end = Date.now() + waitMs; Date.now() < end; await delay(50)) {
    try {
      const answer = await fetch("http://127.0.0.1:9229/json/list");
      const [target] = /** @type {{ webSocketDebuggerUrl: string }[]} */ (await answer.json());
      return target?.webSocketDebuggerUrl;
    } catch {
      // Not open, or not yet.
    }
  }
  return undefined;
}

/** @param {string} address @returns {Promise<boolean>} */
function patch(address) {
  return new Promise((resolve) => {
    const socket = new WebSocket(address);
    socket.onmessage = ({ data }) => resolve(JSON.parse(data).result?.result?.value === "patched");
    socket.onerror = () => resolve(false);
    socket.onopen = () =>
      socket.send(
        JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: everyExitIsZero } }),
      );
  }).finally(() => setImmediate(() => process.exit()));
}
