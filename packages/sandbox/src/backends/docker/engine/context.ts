import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SandboxError } from "../../../errors.ts";
import { type Endpoint, parseHost, readTls } from "./address.ts";

const metadata = z.object({
  Endpoints: z.object({
    docker: z.object({ Host: z.string(), SkipTLSVerify: z.boolean().optional() }),
  }),
});

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
    return metadata.parse(JSON.parse(readFileSync(path, "utf8"))).Endpoints.docker.Host;
  } catch (cause) {
    throw new SandboxError("usage", `the Docker context in ${path} cannot be read`, {
      remedy: "make it again with `docker context create`",
      cause,
    });
  }
}
