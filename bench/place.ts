import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectDocker, defaultWorkerImage } from "@opentiger/sandbox";
import { carrierOf } from "@opentiger/sandbox/exec-client";
import { outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import Docker from "dockerode";
import { z } from "zod";
import { startModel } from "./model.ts";

/**
 * runc by the name that every engine also knows it by. To us it is a runtime of which nothing is known, so its sandboxes
 * are reached over exec stdio, as those of an engine on another machine are, and nothing of ours stands in the way there.
 */
const anotherRuntime = "io.containerd.runc.v2";

export type Place = Awaited<ReturnType<typeof makePlace>>;

/** A state folder, a HOME with the plugin, workspaces and an engine, all for this run only. */
export async function makePlace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-bench-")));
  process.env["OPENTIGER_HOME"] = join(folder, "state");
  const env = { ...process.env, HOME: folder, DOCKER_CONFIG: join(folder, ".docker") };
  const cli = fileURLToPath(new URL("../packages/cli/dist/opentiger.js", import.meta.url));
  execFileSync(process.execPath, [cli, "sandbox", "install-plugin"], { env, stdio: "ignore" });
  const docker = new Docker();
  const model = await startModel();
  // Its own HOME, so that no login of the user's is used, and a model of our own.
  const sandboxd = new Sandboxd({
    ...env,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "bench-key-0123456789abcdef",
  });
  const backendAt = (place: NodeJS.ProcessEnv) =>
    connectDocker({ env: place, outward: outwardThrough(sandboxd, place, undefined) });
  const backend = await backendAt(process.env);
  const apartBackend = await backendAt({ ...process.env, SANDBOX_DOCKER_RUNTIME: anotherRuntime });
  const workspace = { path: makeFolder("work"), readOnly: false };
  return {
    env,
    docker,
    backend,
    /** Lets a sandbox's agent use the model through the gateway. */
    broker: (name: string): Promise<unknown> =>
      sandboxd.ask({ method: "POST", path: `/sandboxes/${name}/credentials` }, z.unknown()),
    /** What the gateway takes for the model's API. */
    model,
    /** The same engine, whose sandboxes can share no socket with us. */
    apartBackend,
    workspace,
    /** 50 files, one commit. */
    repository: { path: makeRepository(), readOnly: false },
    engineVersion: (await docker.version()).Version,
    containerOf: async (name: string): Promise<string> => {
      const { container } = (await backend.inspect(name)) as { container: { id: string } };
      return container.id;
    },
    carrierOf: (name: string): string => carrierOf(name, process.env) ?? "",
    /** The command, with the same image and workspace and limits of no kind. */
    dockerRun: (): string => {
      const options = ["--network", "none", "--init", "-v", `${workspace.path}:${workspace.path}`];
      const args = ["run", "-d", ...options, defaultWorkerImage, "sleep", "infinity"];
      return execFileSync("docker", args, { env, encoding: "utf8" }).trim();
    },
    /** What that command asks of the engine, without the command. */
    plainContainer: async (): Promise<string> => {
      const container = await docker.createContainer({
        Image: defaultWorkerImage,
        Cmd: ["sleep", "infinity"],
        HostConfig: { NetworkMode: "none", Init: true, Binds: [`${workspace.path}:${workspace.path}`] },
      });
      await container.start();
      return container.id;
    },
    remove: async (): Promise<void> => {
      await backend.drainPool();
      await backend.reset();
      await sandboxd.stop();
      model.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  /** Of an ordinary user where we are root, as workspaces usually are. */
  function makeFolder(name: string): string {
    const path = join(folder, name);
    mkdirSync(path);
    if (process.getuid?.() === 0) execFileSync("chown", ["1000:1000", path]);
    return path;
  }

  function makeRepository(): string {
    const path = join(folder, "repository");
    execFileSync("git", ["init", "-q", path]);
    for (let index = 0; index < 50; index += 1)
      writeFileSync(join(path, `file-${index}.txt`), `${index}\n`.repeat(100));
    execFileSync("git", ["-C", path, "add", "."]);
    const author = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"];
    execFileSync("git", ["-C", path, ...author, "commit", "-qm", "files"]);
    return path;
  }
}
