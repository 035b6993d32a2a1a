import { spawn } from "node:child_process";
import { openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { commandPath } from "../packages/command-path.mjs";
import { administratorEnvironment, run } from "../process/run.mjs";
import { Unavailable } from "../setup/unavailable.mjs";
import { answersPing } from "./found.mjs";
import { childrenOf, endProcess, livingProcess, processesWith, until } from "./processes.mjs";

/** Time for containers to end by themselves when the engine stops; ours are disposable. */
const SHUTDOWN_SECONDS = 5;
/** An engine that has to put a big data folder right after a crash takes longer than an empty one. */
const START_TIMEOUT_MS = 60_000;

/** @typedef {import("./paths.mjs").EnginePaths} EnginePaths */

/** The pid of the engine that belongs to these paths, if it runs. @param {EnginePaths} paths */
export function runningDaemon(paths) {
  return livingProcess(paths.pid, "dockerd", paths.config);
}

/**
 * Starts containerd and dockerd, each in a session of its own so that they outlive us, and waits for the answer.
 * containerd is ours too: dockerd would otherwise join one that runs for the whole machine. After a crash, a hung
 * dockerd is ended and a living containerd kept: through it the new dockerd finds and ends the containers of the old.
 *
 * @param {EnginePaths} paths
 * @param {import("./bridge.mjs").Block} block
 */
export async function startDaemon(paths, block) {
  await endDockerd(paths);
  if (!livingProcess(paths.containerdPid, "containerd", paths.containerdConfig)) {
    rmSync(paths.containerdSocket, { force: true });
    writeFileSync(paths.containerdConfig, containerdConfig(paths));
    const containerd = launch("containerd", ["--config", paths.containerdConfig], paths.containerdLog);
    writeFileSync(paths.containerdPid, String(containerd));
  }
  for (const stale of [paths.pid, paths.socket]) rmSync(stale, { force: true });
  writeFileSync(paths.config, JSON.stringify(dockerdConfig(paths, block), null, 2));
  const pid = launch("dockerd", ["--config-file", paths.config], paths.log);
  const ready = await until(async () => {
    if (!runningDaemon(paths) && !livesYet(pid)) throw failed(paths);
    return answersPing(paths.dockerHost);
  }, START_TIMEOUT_MS);
  if (!ready) throw failed(paths);
}

/**
 * Stops dockerd, its containerd and what a crash left of them, and takes their mounts away. Only processes whose
 * command line carries our own paths are touched.
 *
 * @param {EnginePaths} paths
 */
export async function stopDaemon(paths) {
  await endDockerd(paths);
  for (const shim of processesWith("containerd-shim", paths.containerdSocket)) {
    for (const container of childrenOf(shim)) await endProcess(container, 0);
    await endProcess(shim, 2_000);
  }
  for (const pid of processesWith("containerd", paths.containerdConfig)) await endProcess(pid, 5_000);
  for (const mount of mountsBelow(paths.root, paths.run)) await run("umount", ["-l", mount]);
  for (const file of [paths.pid, paths.containerdPid]) rmSync(file, { force: true });
  rmSync(paths.run, { recursive: true, force: true });
}

/** @param {EnginePaths} paths */
async function endDockerd(paths) {
  for (const pid of processesWith("dockerd", paths.config))
    await endProcess(pid, (SHUTDOWN_SECONDS + 5) * 1000);
}

/** @param {string} program @param {readonly string[]} args @param {string} log */
function launch(program, args, log) {
  const output = openSync(log, "a", 0o600);
  const child = spawn(commandPath(program) ?? program, args, {
    detached: true,
    stdio: ["ignore", output, output],
    cwd: "/",
    env: administratorEnvironment(process.env),
  });
  child.on("error", () => {});
  child.unref();
  return child.pid ?? 0;
}

/** @param {EnginePaths} paths */
function containerdConfig(paths) {
  const quoted = JSON.stringify;
  return [
    "version = 2",
    `root = ${quoted(paths.containerdRoot)}`,
    `state = ${quoted(paths.containerdState)}`,
    `disabled_plugins = ["io.containerd.grpc.v1.cri"]`,
    "[grpc]",
    `  address = ${quoted(paths.containerdSocket)}`,
    "",
  ].join("\n");
}

/** @param {EnginePaths} paths @param {import("./bridge.mjs").Block} block */
function dockerdConfig(paths, block) {
  const runsc = commandPath("runsc");
  return {
    hosts: [paths.dockerHost],
    group: "root",
    "data-root": paths.dataRoot,
    "exec-root": paths.execRoot,
    pidfile: paths.pid,
    containerd: paths.containerdSocket,
    bridge: paths.name,
    iptables: false,
    "default-address-pools": [{ base: block.networks, size: 26 }],
    "shutdown-timeout": SHUTDOWN_SECONDS,
    ...(runsc && {
      runtimes: {
        runsc: { path: runsc, runtimeArgs: ["--platform=ptrace", "--network=none", "--ignore-cgroups"] },
      },
    }),
  };
}

/** Between start and the writing of its pid file, the daemon is known by the pid we got. @param {number} pid */
function livesYet(pid) {
  return processesWith("dockerd", "--config-file").includes(pid);
}

/** @param {EnginePaths} paths */
function failed(paths) {
  const words = readFileSync(paths.log, "utf8").trim().split("\n").slice(-5).join("\n");
  return new Unavailable(`the private engine did not start; the end of ${paths.log}:\n${words}`);
}

/** Mount points inside these folders, the innermost first. @param {...string} folders */
function mountsBelow(...folders) {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) =>
      (line.split(" ")[4] ?? "").replace(/\\(\d{3})/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      ),
    )
    .filter((mount) => folders.some((folder) => mount.startsWith(`${folder}/`)))
    .sort((left, right) => right.length - left.length);
}
