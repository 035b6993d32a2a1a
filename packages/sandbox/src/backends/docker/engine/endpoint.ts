import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../../../errors.ts";
import { defaultSocket, type Endpoint, parseHost, readTls, type Tls } from "./address.ts";
import { contextEndpoint } from "./context.ts";

/**
 * The engine the user means, as the docker command would find it: the context that was asked for, `DOCKER_HOST`,
 * `DOCKER_CONTEXT`, the current context, the default socket.
 */
export function findEndpoint(env: NodeJS.ProcessEnv, home: string, context?: string): Endpoint {
  const config = env["DOCKER_CONFIG"] || join(home, ".docker");
  if (context !== undefined)
    return context === "default" ? hostEndpoint(env, home) : contextEndpoint(config, context);
  if (env["DOCKER_HOST"]) return hostEndpoint(env, home);
  const named = env["DOCKER_CONTEXT"] || currentContext(config);
  return named && named !== "default" ? contextEndpoint(config, named) : hostEndpoint(env, home);
}

function hostEndpoint(env: NodeJS.ProcessEnv, home: string): Endpoint {
  const host = env["DOCKER_HOST"];
  if (host) return parseHost(host, environmentTls(env, home));
  // Desktop and rootless engines listen elsewhere, and there is nothing at the usual place then.
  const runtime = env["XDG_RUNTIME_DIR"];
  const others = [
    join(home, ".docker", "run", "docker.sock"),
    ...(runtime ? [join(runtime, "docker.sock")] : []),
  ];
  const path = existsSync(defaultSocket) ? defaultSocket : others.find((other) => existsSync(other));
  return { kind: "socket", path: path ?? defaultSocket };
}

function environmentTls(env: NodeJS.ProcessEnv, home: string): Tls | null {
  if (!env["DOCKER_TLS_VERIFY"] && !env["DOCKER_TLS"]) return null;
  return readTls(env["DOCKER_CERT_PATH"] || env["DOCKER_CONFIG"] || join(home, ".docker"));
}

/** Checked by hand, since the lean client has no library that would. */
function currentContext(config: string): string | undefined {
  const path = join(config, "config.json");
  if (!existsSync(path)) return undefined;
  try {
    const { currentContext: name } = JSON.parse(readFileSync(path, "utf8")) as { currentContext?: unknown };
    if (name === undefined || typeof name === "string") return name;
    throw new TypeError("currentContext is not a name");
  } catch (cause) {
    throw new SandboxError("usage", `Docker's settings in ${path} cannot be read`, {
      remedy: "repair the file, or set DOCKER_HOST",
      cause,
    });
  }
}
