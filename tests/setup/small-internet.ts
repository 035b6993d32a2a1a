import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { commandPath } from "../../scripts/packages/command-path.mjs";
import { atEnd } from "./at-end.ts";
import { bundledProgram } from "./bundled-program.ts";
import { certificateFor } from "./certificate.ts";
import { docker } from "./docker.ts";
import { isRoot, temporaryFolder } from "./temporary-workspace.ts";
import { takeTurn } from "./turn.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const label = "opentiger.test=small-internet";
const servers = new URL("./small-internet-servers.ts", import.meta.url);

/** Where the servers are. All of them are in a network namespace of the test's: no packet leaves this machine. */
export const addresses = {
  public: "203.0.113.10",
  otherPublic: "203.0.113.20",
  names: "203.0.113.53",
  metadata: "169.254.169.254",
  private: "10.77.0.1",
  publicV6: "2001:db8:7::10",
} as const;

/** The machine's own, on the docker network. */
export const machineAddress = "198.51.100.2";

/** What a server saw. */
export interface Seen {
  kind: "http" | "https" | "tcp" | "udp" | "dns" | "dns-tcp" | "dns-tls";
  to?: string;
  name?: string;
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  body?: string;
  sni?: string;
}

export interface SmallInternet {
  /** The docker network on which a plain container reaches it. */
  network: string;
  /** The certificate that the HTTPS server's is signed by. */
  ca: string;
  /** For a sandboxd that runs on `machine`. */
  env: NodeJS.ProcessEnv;
  seen: readonly Seen[];
  /** Whoever puts a folder here under the name of a host serves it. */
  files: string;
  /** Which addresses a name has; several lists are given out one after the other. */
  name(name: string, ...lists: string[][]): void;
  /** Gives the internet more addresses than it has anyway, and the machine and a plain container the way to them. */
  addAddresses(more: readonly string[], container: string): Promise<void>;
  /** Starts a command on the machine on which sandboxd runs: its loopback is what sandboxes know as the host's. */
  machine(command: readonly [string, ...string[]], env?: NodeJS.ProcessEnv): ChildProcess;
}

export const canHaveSmallInternet =
  isRoot &&
  process.platform === "linux" &&
  ["ip", "nsenter", "openssl"].every((command) => commandPath(command));

/**
 * An internet of a few addresses and a machine on it, in network namespaces of their own, joined by a docker network
 * whose gateway is that internet. Plain containers on the network reach it as they would reach the real one; our
 * sandboxes reach what sandboxd, running on the machine, lets them.
 */
export async function smallInternet(names: readonly string[]): Promise<SmallInternet> {
  const id = randomBytes(3).toString("hex");
  const folder = temporaryFolder("internet-");
  const zone = join(folder, "zone.json");
  const files = join(folder, "files");
  const known: Record<string, string[][]> = {};
  const { ca, certificate, key } = await certificateFor(folder, names);
  const [internet, machine, bridge] = [`oti-${id}`, `otm-${id}`, `otn${id}`];
  await takeTurn("small-internet");
  await removeLeftovers();
  await joinNamespaces({ id, internet, machine, bridge });
  writeFileSync(zone, "{}");

  const seen: Seen[] = [];
  const ready = { yet: false };
  const child = inNamespace(
    internet,
    [
      process.execPath,
      await bundledProgram(servers),
      zone,
      certificate,
      key,
      addresses.names,
      addresses.public,
      files,
    ],
    process.env,
  );
  child.stderr?.pipe(process.stderr);
  if (child.stdout) {
    createInterface(child.stdout).on("line", (line) => {
      // Our own servers say it.
      const event = JSON.parse(line) as Seen | { kind: "ready" };
      if (event.kind === "ready") ready.yet = true;
      else seen.push(event);
    });
  }
  await until("the servers of the small internet listen", () => ready.yet);

  const name = (host: string, ...lists: string[][]): void => {
    known[host] = lists.length > 0 ? lists : [[addresses.public]];
    writeFileSync(zone, JSON.stringify(known));
  };
  for (const host of names) name(host);
  return {
    network: bridge,
    ca,
    env: { OPENTIGER_DNS_SERVERS: addresses.names, NODE_EXTRA_CA_CERTS: ca },
    seen,
    files,
    name,
    addAddresses: (more, container) => addAddresses({ internet, machine }, more, container),
    machine: (command, env = process.env) => inNamespace(machine, command, env),
  };
}

interface Joined {
  id: string;
  internet: string;
  machine: string;
  bridge: string;
}

/** What a run that was killed left. There is one small internet at a time: its addresses are always the same. */
async function removeLeftovers(): Promise<void> {
  const networks = await docker("network", "ls", "--quiet", "--filter", `label=${label}`);
  for (const network of networks.split("\n").filter(Boolean)) {
    const containers = await docker("ps", "--all", "--quiet", "--filter", `network=${network}`);
    for (const container of containers.split("\n").filter(Boolean)) await docker("rm", "--force", container);
    await docker("network", "rm", network);
  }
}

async function joinNamespaces({ id, internet, machine, bridge }: Joined): Promise<void> {
  const options = ["bridge.name", "bridge.inhibit_ipv4"].map((name) => `com.docker.network.${name}`);
  await docker(
    "network",
    "create",
    "--label",
    label,
    "--ipv6",
    "--subnet",
    "198.51.100.0/24",
    "--gateway",
    "198.51.100.1",
    // The upper half is the engine's to give away; the rest is ours.
    "--ip-range",
    "198.51.100.128/25",
    "--subnet",
    "2001:db8:7::/64",
    "--opt",
    `${options[0]}=${bridge}`,
    "--opt",
    `${options[1]}=true`,
    bridge,
  );
  atEnd(() => docker("network", "rm", bridge));
  await attach(bridge, `a${id}`, internet, ["198.51.100.1/24", `${addresses.publicV6}/64`]);
  await attach(bridge, `b${id}`, machine, [`${machineAddress}/24`, "2001:db8:7::fe/64"]);
  const { publicV6: _, ...v4 } = addresses;
  for (const address of Object.values(v4))
    await ip("-n", internet, "addr", "add", `${address}/32`, "dev", "lo");
  await ip("-n", machine, "route", "add", "default", "via", "198.51.100.1");
}

async function attach(
  bridge: string,
  link: string,
  namespace: string,
  own: readonly string[],
): Promise<void> {
  await ip("netns", "add", namespace);
  atEnd(() => ip("netns", "del", namespace));
  await ip("link", "add", `o${link}`, "type", "veth", "peer", "name", `i${link}`);
  await ip("link", "set", `o${link}`, "master", bridge, "up");
  await ip("link", "set", `i${link}`, "netns", namespace);
  for (const address of own) {
    const flags = address.includes(":") ? ["nodad"] : [];
    await ip("-n", namespace, "addr", "add", address, "dev", `i${link}`, ...flags);
  }
  for (const up of ["lo", `i${link}`]) await ip("-n", namespace, "link", "set", up, "up");
}

/** An IPv4 address is on the way that everything takes; towards IPv6 there is no such way but that of the real host. */
async function addAddresses(
  { internet, machine }: Pick<Joined, "internet" | "machine">,
  more: readonly string[],
  container: string,
): Promise<void> {
  const pid = await docker("inspect", "--format", "{{.State.Pid}}", container);
  for (const address of more) {
    const isV6 = address.includes(":");
    const flags = isV6 ? ["nodad"] : [];
    await ip("-n", internet, "addr", "add", `${address}/${isV6 ? 128 : 32}`, "dev", "lo", ...flags);
    if (!isV6) continue;
    const route = ["route", "add", `${address}/128`, "via", addresses.publicV6];
    await ip("-n", machine, ...route);
    await run("nsenter", [`--net=/proc/${pid}/ns/net`, "ip", ...route]);
  }
}

async function ip(...words: string[]): Promise<void> {
  await run("ip", words);
}

function inNamespace(
  namespace: string,
  command: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const child = spawn("ip", ["netns", "exec", namespace, ...command], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  atEnd(() => child.kill("SIGKILL"));
  return child;
}
