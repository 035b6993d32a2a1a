import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../../../errors.ts";

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

export const defaultSocket = "/var/run/docker.sock";

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

export function readTls(folder: string): Tls {
  const tls: Tls = {};
  for (const part of ["ca", "cert", "key"] as const) {
    const path = join(folder, `${part}.pem`);
    if (existsSync(path)) tls[part] = readFileSync(path);
  }
  return tls;
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
