import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { collect, defaultWorkerImage, type Sandbox } from "@opentiger/sandbox";
import type { Place } from "./place.ts";

export interface NetworkFigures {
  bridge: Figure;
  socket: Figure;
  proxy: Figure;
  stdio: Figure;
}

interface Figure {
  /** Of a large download. */
  megabytesPerSecond: number;
  /** Of a small request on a connection of its own, p50. */
  requestMs: number;
}

const downloadBytes = 512 * 1024 * 1024;
const requests = 150;

/** host.docker.internal: by address, as the plain container has its gateway by address. No name is looked up. */
const hostAddress = "127.0.0.2";

/** Serves `/bytes/N`, from a process of its own that ends with its stdin. */
const server = `
  process.stdin.resume().once("end", () => process.exit());
  const chunk = Buffer.alloc(1 << 20);
  require("node:http").createServer((request, response) => {
    let left = Number(request.url.split("/").at(-1));
    const more = () => { while (left > 0) { left -= chunk.length; if (!response.write(chunk)) return; } response.end(); };
    response.on("drain", more);
    more();
  }).listen(0, "0.0.0.0", function () { console.log(this.address().port); });`;

/** Sends small requests one after the other, each on a new connection, and prints the median in milliseconds. */
const requester = `
  const { request } = require("node:http");
  const [host, port, path, count] = process.argv.slice(1);
  const once = () => new Promise((resolve, reject) => {
    request({ host, port, path, agent: false }, (answer) => answer.resume().on("end", resolve)).on("error", reject).end();
  });
  (async () => {
    const times = [];
    for (let round = -10; round < count; round++) {
      const start = performance.now();
      await once();
      if (round >= 0) times.push(performance.now() - start);
    }
    console.log(times.sort((a, b) => a - b)[times.length >> 1]);
  })();`;

type Run = (...command: string[]) => Promise<string>;

/** The way out of a sandbox beside a bridge network, to one server on this machine. */
export async function measureNetwork(place: Place): Promise<NetworkFigures> {
  const child = spawn(process.execPath, ["-e", server], { stdio: ["pipe", "pipe", "inherit"] });
  const port = Number(await new Promise((resolve) => createInterface(child.stdout).once("line", resolve)));
  const network = { hostPorts: [port] };
  const sandbox = await place.backend.create({
    name: "bench-net",
    agent: "shell",
    workspaces: [place.workspace],
    network,
  });
  const apart = await place.apartBackend.create({
    name: "bench-apart",
    agent: "shell",
    workspaces: [],
    workspaceKind: "clone",
    network,
  });
  const plain = execFileSync("docker", ["run", "-d", "--init", defaultWorkerImage, "sleep", "infinity"], {
    encoding: "utf8",
  }).trim();
  try {
    const format = "{{.NetworkSettings.Gateway}}";
    const gateway = execFileSync("docker", ["inspect", "-f", format, plain], { encoding: "utf8" }).trim();
    const inPlain: Run = async (...command) =>
      execFileSync("docker", ["exec", plain, ...command], { encoding: "utf8" });
    const direct = `http://host.docker.internal:${port}`;
    const proxy = "http://127.0.0.1:3128";
    return {
      bridge: await measure(inPlain, { host: gateway, port, path: "", curl: [`http://${gateway}:${port}`] }),
      socket: await measure(runIn(sandbox), {
        host: hostAddress,
        port,
        path: "",
        curl: ["--noproxy", "*", direct],
      }),
      proxy: await measure(runIn(sandbox), {
        host: "127.0.0.1",
        port: 3128,
        path: direct,
        curl: ["--noproxy", "", "--proxy", proxy, direct],
      }),
      stdio: await measure(runIn(apart), {
        host: hostAddress,
        port,
        path: "",
        curl: ["--noproxy", "*", direct],
      }),
    };
  } finally {
    execFileSync("docker", ["rm", "-f", plain], { stdio: "ignore" });
    for (const made of [sandbox, apart]) {
      await made.close();
      await place.backend.remove(made.name);
    }
    child.kill("SIGKILL");
  }
}

interface Target {
  host: string;
  port: number;
  path: string;
  curl: string[];
}

async function measure(run: Run, { host, port, path, curl }: Target): Promise<Figure> {
  const [url = "", ...flags] = curl.toReversed();
  const download = ["curl", "-s", "-o", "/dev/null", "-w", "%{speed_download}", ...flags.toReversed()];
  const speeds: number[] = [];
  for (let round = 0; round < 3; round += 1)
    speeds.push(Number(await run(...download, `${url}/bytes/${downloadBytes}`)));
  const script = ["node", "-e", requester, host, String(port), `${path}/bytes/0`, String(requests)];
  return { megabytesPerSecond: Math.max(...speeds) / 1e6, requestMs: Number(await run(...script)) };
}

function runIn(sandbox: Sandbox): Run {
  return async (...command) => {
    const { exit, stdout, stderr } = await collect(
      await sandbox.exec(command, { env: { NODE_USE_ENV_PROXY: "" } }),
    );
    if (exit.code !== 0) throw new Error(stderr.toString());
    return stdout.toString();
  };
}

export function networkTable(figures: NetworkFigures): string {
  const names = {
    bridge: "plain container on a bridge",
    socket: "ours, socket carrier",
    proxy: "ours, socket carrier, HTTP proxy",
    stdio: "ours, exec stdio carrier",
  } as const;
  const rows = (Object.keys(names) as (keyof typeof names)[]).map((key) => {
    const { megabytesPerSecond, requestMs } = figures[key];
    return `| ${names[key]} | ${megabytesPerSecond.toFixed(0)} | ${requestMs.toFixed(2)} |`;
  });
  return [
    "### The way out",
    "",
    "| through | download MB/s | small request ms (p50) |",
    "|---|---:|---:|",
    ...rows,
    "",
  ].join("\n");
}
