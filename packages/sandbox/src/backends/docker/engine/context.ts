import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../../../errors.ts";
import { type Endpoint, parseHost, readTls } from "./address.ts";

/** What of it we look at; checked by hand, since the lean client has no library that would. */
interface Metadata {
  Endpoints?: { docker?: { Host?: unknown } };
}

/** A context of the docker command, from the files in which it keeps them. */
export function contextEndpoint(config: string, name: string): Endpoint {
  const hash = createHash("sha256").update(name).digest("hex");
  const path = join(config, "contexts", "meta", hash, "meta.json");
  if (!existsSync(path)) {
    throw new SandboxError("usage", `there is no Docker context called ${JSON.stringify(name)}`, {
      remedy: "see `docker context ls`",
    });
  }
  const tls = join(config, "contexts", "tls", hash, "docker");
  return parseHost(readHost(path), existsSync(tls) ? readTls(tls) : null);
}

function readHost(path: string): string {
  try {
    const { Endpoints } = JSON.parse(readFileSync(path, "utf8")) as Metadata;
    const host = Endpoints?.docker?.Host;
    if (typeof host === "string") return host;
    throw new TypeError("it has no Endpoints.docker.Host");
  } catch (cause) {
    throw new SandboxError("usage", `the Docker context in ${path} cannot be read`, {
      remedy: "make it again with `docker context create`",
      cause,
    });
  }
}
