import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "../process/run.mjs";

/** A local engine answers within milliseconds; one that is busy starting containers may need a little longer. */
const PING_TIMEOUT_MS = 5_000;

/**
 * The engine that this user's `docker` command would talk to, if it answers: DOCKER_HOST, then the context chosen by
 * DOCKER_CONTEXT or `docker context use`, then the usual socket.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{dockerHost: string, from: string} | undefined>}
 */
export async function foundEngine(env = process.env) {
  const endpoint = chosenEndpoint(env);
  return (await answersPing(endpoint.dockerHost)) ? endpoint : undefined;
}

/**
 * Whether an engine answers at this address. Anything but a unix socket is left to the docker client, which knows
 * about ssh, TLS and named pipes.
 *
 * @param {string} dockerHost
 * @returns {Promise<boolean>}
 */
export async function answersPing(dockerHost) {
  if (!dockerHost.startsWith("unix://")) {
    const { code } = await run("docker", ["-H", dockerHost, "version", "--format", "{{.Server.APIVersion}}"]);
    return code === 0;
  }
  const socketPath = dockerHost.slice("unix://".length);
  return (await get(socketPath, "/_ping")) === "OK" && (await get(socketPath, "/version")) !== undefined;
}

/** @param {NodeJS.ProcessEnv} env */
function chosenEndpoint(env) {
  if (env.DOCKER_HOST) return { dockerHost: env.DOCKER_HOST, from: "DOCKER_HOST" };
  const folder = env.DOCKER_CONFIG ?? join(homedir(), ".docker");
  const context = env.DOCKER_CONTEXT ?? readJson(join(folder, "config.json"))?.currentContext;
  if (context && context !== "default") {
    const id = createHash("sha256").update(context).digest("hex");
    const host = readJson(join(folder, "contexts", "meta", id, "meta.json"))?.Endpoints?.docker?.Host;
    if (host) return { dockerHost: String(host), from: `context ${context}` };
  }
  return { dockerHost: "unix:///var/run/docker.sock", from: "the usual socket" };
}

/** @param {string} path @returns {any} whatever docker has written there */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** @param {string} socketPath @param {string} path @returns {Promise<string | undefined>} */
function get(socketPath, path) {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path, timeout: PING_TIMEOUT_MS }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve(response.statusCode === 200 ? body : undefined));
      response.on("error", () => resolve(undefined));
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(undefined));
    asked.end();
  });
}
