import Docker from "dockerode";
import { describeEndpoint, type Endpoint } from "./address.ts";
import { findEndpoint } from "./endpoint.ts";
import { type EngineFacts, readFacts } from "./facts.ts";
import { SshAgent } from "./ssh.ts";

/** One Docker engine. Nothing is sent until something is asked; what it is, is asked once. */
export class Engine {
  readonly docker: Docker;
  readonly endpoint: Endpoint;
  #facts: Promise<EngineFacts> | undefined;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.docker = new Docker(connection(endpoint));
  }

  get address(): string {
    return describeEndpoint(this.endpoint);
  }

  facts(signal?: AbortSignal): Promise<EngineFacts> {
    this.#facts ??= this.#ask(signal).catch((error: unknown) => {
      // An engine that was down may be up the next time.
      this.#facts = undefined;
      throw error;
    });
    return this.#facts;
  }

  async #ask(abortSignal: AbortSignal | undefined): Promise<EngineFacts> {
    // The library takes options here as everywhere; its types have forgotten them.
    const docker = this.docker as unknown as {
      info(options: { abortSignal?: AbortSignal }): Promise<unknown>;
    };
    return readFacts(await docker.info(abortSignal ? { abortSignal } : {}), this.endpoint);
  }
}

export function connectEngine(options: { env: NodeJS.ProcessEnv; home: string; context?: string }): Engine {
  return new Engine(findEndpoint(options.env, options.home, options.context));
}

/**
 * dockerode fills what is absent from `DOCKER_HOST`; the endpoint has been decided already, so every field that it
 * would look at is given, if only as undefined.
 */
function connection(endpoint: Endpoint): Docker.DockerOptions {
  const none = {
    host: undefined,
    port: undefined,
    socketPath: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
  };
  switch (endpoint.kind) {
    case "socket":
      return { ...none, socketPath: endpoint.path, protocol: "http" };
    case "tcp":
      return {
        ...none,
        ...endpoint.tls,
        host: endpoint.host,
        port: endpoint.port,
        protocol: endpoint.tls ? "https" : "http",
      };
    case "ssh":
      // The types do not know `agent`, which the library hands to every request.
      return {
        ...none,
        host: "docker.invalid",
        protocol: "http",
        agent: new SshAgent(endpoint.destination, endpoint.port),
      } as Docker.DockerOptions;
  }
}
