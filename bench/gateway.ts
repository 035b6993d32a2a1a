import { collect, type Sandbox } from "@opentiger/sandbox";
import { summarise } from "./measure.ts";
import type { Place } from "./place.ts";

export interface GatewayFigures {
  /** A model request of 100 kB: straight to the server, and through the gateway; p50 in ms. */
  directMs: number;
  gatewayMs: number;
  /** From the start of create until the real claude's first request arrives, under `deny`; p50 in ms. */
  firstRequestMs: number;
}

const requests = 100;

/** Posts 100 kB again and again on one connection, and prints the median in milliseconds. */
const poster = `
  const { Agent, request } = require("node:http");
  const agent = new Agent({ keepAlive: true });
  const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1, stream: true, messages: [{ role: "user", content: "x".repeat(100_000) }] });
  const headers = { "content-type": "application/json", "x-api-key": "placeholder", "content-length": body.length };
  const once = () => new Promise((resolve, reject) => {
    request(process.argv[1], { method: "POST", headers, agent }, (answer) => answer.resume().on("end", answer.statusCode === 200 ? resolve : () => reject(new Error(String(answer.statusCode))))).on("error", reject).end(body);
  });
  (async () => {
    const times = [];
    for (let round = -10; round < process.argv[2]; round++) {
      const start = performance.now();
      await once();
      if (round >= 0) times.push(performance.now() - start);
    }
    console.log(times.sort((a, b) => a - b)[times.length >> 1]);
    process.exit();
  })();`;

/** What the gateway adds to a model request, and how soon a new sandbox's agent is at its model. */
export async function measureGateway(place: Place, rounds: number): Promise<GatewayFigures> {
  const { model: server } = place;
  const network = { policy: "deny" as const, hostPorts: [Number(new URL(server.url).port)] };
  const workspaces = [place.workspace];
  const sandbox = await place.backend.create({ name: "bench-gateway", agent: "claude", workspaces, network });
  await place.broker(sandbox.name);
  const direct = server.url.replace("127.0.0.1", "host.docker.internal");
  const figures = {
    directMs: await post(sandbox, `${direct}/v1/messages`),
    gatewayMs: await post(sandbox, "http://127.0.0.1:3129/anthropic/v1/messages"),
  };
  await sandbox.close();
  await place.backend.remove(sandbox.name);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    times.push(await firstRequest(place, `bench-claude-${round}`));
  return { ...figures, firstRequestMs: summarise("", times).p50 };
}

async function post(sandbox: Sandbox, url: string): Promise<number> {
  const { exit, stdout, stderr } = await collect(
    await sandbox.exec(["node", "-e", poster, url, String(requests)]),
  );
  if (exit.code !== 0) throw new Error(stderr.toString());
  return Number(stdout.toString());
}

async function firstRequest(place: Place, name: string): Promise<number> {
  place.model.posts.length = 0;
  const start = Date.now();
  const network = { policy: "deny" } as const;
  const sandbox = await place.backend.create({
    name,
    agent: "claude",
    workspaces: [place.workspace],
    network,
  });
  await place.broker(name);
  const { exit, output } = await collect(await sandbox.exec(["claude", "-p", "say it"]));
  if (exit.code !== 0) throw new Error(output.toString());
  await sandbox.close();
  await place.backend.remove(name);
  return (place.model.posts[0] ?? Number.NaN) - start;
}

export function gatewayTable({ directMs, gatewayMs, firstRequestMs }: GatewayFigures): string {
  return [
    "### The model gateway",
    "",
    "| what | p50 ms |",
    "|---|---:|",
    `| a model request of 100 kB, straight to the server | ${directMs.toFixed(2)} |`,
    `| the same through the gateway | ${gatewayMs.toFixed(2)} |`,
    `| create → first model request of the real claude, under \`deny\` | ${firstRequestMs.toFixed(0)} |`,
    "",
  ].join("\n");
}
