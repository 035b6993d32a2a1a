import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answersPing } from "../../scripts/engine/found.mjs";
import { endProcess, livingProcess, until } from "../../scripts/engine/processes.mjs";

/**
 * An engine as any distribution sets it up (docker0, its own iptables chains), in a network namespace of its own:
 * there it stands for the engine a user already has, and cannot touch the one this machine may really have.
 */
export interface StockEngine {
  dockerHost: string;
  /** Runs a program where this engine's network is, and returns what it prints. */
  inItsNetwork(program: string, ...args: string[]): string;
  docker(...args: string[]): string;
  stop(): Promise<void>;
}

/** `name` is its folder below the temp dir and its network namespace; what a killed run left of it is cleared first. */
export async function startStockEngine(name: string): Promise<StockEngine> {
  const namespace = name;
  const folder = join(tmpdir(), name);
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { encoding: "utf8", env }).trim();
  const enter = ["nsenter", `--net=/run/netns/${namespace}`] as const;
  const dockerHost = `unix://${join(folder, "docker.sock")}`;

  const pidFile = join(folder, "pid");
  const clear = async () => {
    const pid = livingProcess(pidFile, "dockerd", `--pidfile=${pidFile}`);
    if (pid) await endProcess(pid, 20_000);
    if (existsSync(`/run/netns/${namespace}`)) run("ip", "netns", "del", namespace);
    rmSync(folder, { recursive: true, force: true });
  };

  await clear();
  run("ip", "netns", "add", namespace);
  run(...enter, "ip", "link", "set", "lo", "up");
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, "log"), "a");
  const [program, ...args] = [...enter, "dockerd", ...flags(folder, dockerHost, namespace)];
  const dockerd = spawn(program, args, { stdio: ["ignore", log, log], env });
  dockerd.once("error", () => {});
  if (!(await until(() => answersPing(dockerHost), 30_000))) {
    throw new Error(readFileSync(join(folder, "log"), "utf8").slice(-2000));
  }

  return {
    dockerHost,
    inItsNetwork: (command, ...rest) => run(...enter, command, ...rest),
    docker: (...rest) => run("docker", "-H", dockerHost, ...rest),
    stop: clear,
  };
}

/** Everything that keeps two engines' files apart, and nothing about the network. */
function flags(folder: string, dockerHost: string, namespace: string): string[] {
  const options = {
    host: dockerHost,
    pidfile: join(folder, "pid"),
    "data-root": join(folder, "data"),
    "exec-root": join(folder, "exec"),
    "containerd-namespace": namespace,
    "containerd-plugins-namespace": `${namespace}-plugins`,
    "shutdown-timeout": 2,
  };
  return Object.entries(options).map(([name, value]) => `--${name}=${value}`);
}
