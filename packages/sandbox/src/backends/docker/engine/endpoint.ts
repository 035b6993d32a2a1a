import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SandboxError } from "../../../errors.ts";
import { contextEndpoint } from "./context.ts";

/** Where an engine listens and what it takes to speak to it. */
export type Endpoint =
  | { kind: "socket"; path: string }
  | { kind: "tcp"; host: string; port: number; tls: Tls | null }
  | { kind: "ssh"; destination: string; port: number | null };

export interface Tls {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

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

export function parseHost(host: string, tls: Tls | null): Endpoint {
  if (host.startsWith("unix://"))
    return { kind: "socket", path: host.slice("unix://".length) || defaultSocket };
  if (host.startsWith("npipe:")) throw unsupportedHost(host);
  const text = host.includes("://") ? host : `tcp://${host}`;
  if (!URL.canParse(text)) throw unsupportedHost(host);
  const url = new URL(text);
  if (!url.hostname) throw unsupportedHost(host);
  const port = url.port === "" ? null : Number(url.port);
  if (url.protocol === "ssh:") {
    const user = url.username ? `${decodeURIComponent(url.username)}@` : "";
    return { kind: "ssh", destination: user + url.hostname, port };
  }
  if (!["tcp:", "http:", "https:"].includes(url.protocol)) throw unsupportedHost(host);
  const secure = tls ?? (url.protocol === "https:" ? {} : null);
  return { kind: "tcp", host: url.hostname, port: port ?? (secure ? 2376 : 2375), tls: secure };
}

export function describeEndpoint(endpoint: Endpoint): string {
  switch (endpoint.kind) {
    case "socket":
      return `unix://${endpoint.path}`;
    case "tcp":
      return `tcp://${endpoint.host}:${endpoint.port}`;
    case "ssh":
      return `ssh://${endpoint.destination}${endpoint.port === null ? "" : `:${endpoint.port}`}`;
  }
}

const defaultSocket = "/var/run/docker.sock";

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

export function readTls(folder: string): Tls {
  const tls: Tls = {};
  for (const part of ["ca", "cert", "key"] as const) {
    const path = join(folder, `${part}.pem`);
    if (existsSync(path)) tls[part] = readFileSync(path);
  }
  return tls;
}

const dockerConfig = z.object({ currentContext: z.string().optional() });

function currentContext(config: string): string | undefined {
  const path = join(config, "config.json");
  if (!existsSync(path)) return undefined;
  try {
    return dockerConfig.parse(JSON.parse(readFileSync(path, "utf8"))).currentContext;
  } catch (cause) {
    throw new SandboxError("usage", `Docker's settings in ${path} cannot be read`, {
      remedy: "repair the file, or set DOCKER_HOST",
      cause,
    });
  }
}

function unsupportedHost(host: string): SandboxError {
  return new SandboxError(
    "unsupported",
    `${JSON.stringify(host)} is not a kind of engine address that is supported`,
    {
      remedy: "use unix://, tcp:// or ssh://",
    },
  );
}
