import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { promisify } from "node:util";
import { commandPath } from "../../scripts/packages/command-path.mjs";
import type { ServerQuestion } from "./ask-server.ts";
import { atEnd } from "./at-end.ts";
import { isRoot } from "./temporary-workspace.ts";

const run = promisify(execFile);

export interface FarQuestion extends ServerQuestion {
  url: string;
}

/** A machine besides this one, joined to it by a wire of its own: a network namespace. No packet leaves. */
export interface AnotherMachine {
  /** How it calls this machine. */
  here: string;
  /** Asks from there, one after the other; the statuses that were answered. */
  ask(questions: readonly FarQuestion[]): Promise<number[]>;
}

export const canHaveAnotherMachine =
  isRoot && process.platform === "linux" && commandPath("ip") !== undefined;

export async function anotherMachine(): Promise<AnotherMachine> {
  const id = randomBytes(3).toString("hex");
  const [namespace, outer, inner] = [`otf-${id}`, `ofo${id}`, `ofi${id}`];
  // Of the range for measurements between networks, which nobody routes; so small a part of it that two do not meet.
  const net = `198.18.${randomInt(256)}.${4 * randomInt(64)}`.split(".").map(Number);
  const address = (last: number) => [...net.slice(0, 3), (net[3] ?? 0) + last].join(".");
  const [here, there] = [address(1), address(2)];
  await run("ip", ["netns", "add", namespace]);
  atEnd(() => run("ip", ["netns", "del", namespace]));
  await run("ip", ["link", "add", outer, "type", "veth", "peer", "name", inner, "netns", namespace]);
  await run("ip", ["addr", "add", `${here}/30`, "dev", outer]);
  await run("ip", ["link", "set", outer, "up"]);
  await run("ip", ["-n", namespace, "addr", "add", `${there}/30`, "dev", inner]);
  await run("ip", ["-n", namespace, "link", "set", inner, "up"]);
  return {
    here,
    ask: async (questions) => {
      const words = ["netns", "exec", namespace, process.execPath, "-e", asking, JSON.stringify(questions)];
      const { stdout } = await run("ip", words);
      // Our own program says it.
      return JSON.parse(stdout) as number[];
    },
  };
}

const asking = `const { request } = require("node:http");
const one = ({ url, method = "GET", headers = {}, body }) => new Promise((resolve, reject) => {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = text === undefined ? {} : { "content-type": "application/json" };
  const asked = request(url, { method, headers: { ...type, ...headers }, agent: false, timeout: 30000 });
  asked.once("error", reject).once("timeout", () => asked.destroy(new Error("no answer")));
  asked.once("response", (answer) => answer.resume().once("end", () => resolve(answer.statusCode)));
  asked.end(text);
});
(async () => {
  const statuses = [];
  for (const question of JSON.parse(process.argv[1])) statuses.push(await one(question));
  console.log(JSON.stringify(statuses));
})();`;
