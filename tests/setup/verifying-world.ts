import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { LoopRepository, type OpenPlace, openPlace } from "@opentiger/orchestrator";
import { DockerBackend } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { atEnd } from "./at-end.ts";
import { workerImage } from "./docker.ts";
import { knowImages } from "./known-images.ts";
import { removePrepared } from "./prepared-images.ts";
import { temporaryFolder } from "./temporary-workspace.ts";
import { testDatabase } from "./test-database.ts";

/** In the environment of whoever prepares, and to be found nowhere else. */
export const credential = "sk-ant-api03-canary-verifying-0123456789";

export interface VerifyingWorld {
  env: NodeJS.ProcessEnv;
  place: OpenPlace;
  docker: DockerBackend;
  /** Another process's view of the same. */
  another(): Promise<OpenPlace>;
}

/** An openTiger of its own with a database. At the end of the test file its sandboxes and images are gone. */
export async function verifyingWorld(): Promise<VerifyingWorld> {
  const home = temporaryFolder("ot-");
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    DOCKER_HOST: process.env["DOCKER_HOST"],
    SANDBOX_DOCKER_IMAGE: workerImage,
    HOME: home,
    OPENTIGER_HOME: home,
    ANTHROPIC_API_KEY: credential,
    ...(await testDatabase()),
  };
  await knowImages(home);
  atEnd(() => new Sandboxd(env).stop());
  const another = async (): Promise<OpenPlace> => {
    const place = await openPlace(env, { program: "test" });
    atEnd(() => place.close());
    return place;
  };
  const place = await another();
  const docker = await place.backend("sandbox");
  if (!(docker instanceof DockerBackend)) throw new Error("sandboxes are made by another backend");
  atEnd(async () => {
    await docker.reset();
    await (await place.backend("host")).reset();
    await removePrepared(place);
  });
  return { env, place, docker, another };
}

export interface SampleProject {
  path: string;
  repository: LoopRepository;
  /** Commits these files on top, and brings the commit to where loops work. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
}

/** A repository of a user's, and the host's own one of it. */
export async function sampleProject(place: OpenPlace): Promise<SampleProject> {
  const path = realpathSync(temporaryFolder("opentiger-sample-"));
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", path, ...words], { stdio: "pipe", encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Una User");
  git("config", "user.email", "una@example.test");
  const repository = await LoopRepository.open(place, { id: crypto.randomUUID(), path });
  return {
    path,
    repository,
    commit: async (files) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
      git("add", "--all");
      git("commit", "--quiet", "--message=more");
      return (await repository.importBase(crypto.randomUUID().slice(0, 8))).baseOid;
    },
  };
}

export interface Gates {
  port: number;
  /** Where a request waits until the gate is opened, and from then on no more. */
  url(name: string): string;
  open(name: string): void;
  /** How often somebody came to it. */
  visits(name: string): number;
}

/** A server on this machine's loopback at which commands in sandboxes wait for the test. */
export async function gates(): Promise<Gates> {
  const opened = new Set<string>();
  const visitors = new Map<string, number>();
  const waiting: { name: string; response: ServerResponse }[] = [];
  const server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    visitors.set(name, (visitors.get(name) ?? 0) + 1);
    if (opened.has(name)) response.end(`${name} is open\n`);
    else waiting.push({ name, response });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => server.closeAllConnections());
  atEnd(() => server.close());
  // A TCP server has a port, and not a path.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    open: (name) => {
      opened.add(name);
      for (const { response } of waiting.filter((visitor) => visitor.name === name))
        response.end(`${name} is open\n`);
    },
    visits: (name) => visitors.get(name) ?? 0,
  };
}
