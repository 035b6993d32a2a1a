import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { type Place, placeOf } from "../setup/place.ts";
import { type PlainContainer, plainContainer } from "../setup/plain-container.ts";
import { newSandbox } from "../setup/sandbox.ts";
import { type OnlineInstance, onlineInstance } from "../setup/sandboxd.ts";
import { addresses, machineAddress, type SmallInternet, smallInternet } from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";

const named = ["inner.test", "rebind.test", "rebind-plain.test", "exact.test", "a.wild.test", "link.test"];
const hosts = ["public.test", "other.test", "github.com", "evilgithub.com", ...named];

/** A small internet, and those who would like to reach what is on it. */
export interface NetworkScene {
  internet: SmallInternet;
  instance: OnlineInstance;
  plain: PlainContainer;
  /** Another plain container: root, as most are, with a server of its own. */
  neighbour: PlainContainer;
  sandbox: Sandbox;
  /** The same, as a place for attacks: what no rule speaks of is allowed. */
  allowing: Place;
  /** Nothing is allowed but one host. */
  denying: Place;
}

export async function networkScene(): Promise<NetworkScene> {
  const internet = await smallInternet(hosts);
  for (const name of ["inner.test", "exact.test", "a.wild.test"]) internet.name(name, [addresses.private]);
  internet.name("link.test", [addresses.metadata]);
  for (const name of ["rebind.test", "rebind-plain.test"])
    internet.name(name, [addresses.public], [addresses.metadata]);
  const instance = await onlineInstance(internet);
  const flags = ["--network", internet.network, "--dns", addresses.names];
  const host = ["--add-host", `host.docker.internal:${machineAddress}`];
  const plain = await plainContainer(temporaryWorkspace(), { flags: [...flags, ...host] });
  const main = ["node", "-e", serving("the neighbour", 7777)];
  const neighbour = await plainContainer(temporaryWorkspace(), { flags, user: "0:0", main });
  const service = internet.machine([process.execPath, "-e", serving("the machine", 7777, 7778)]);
  await new Promise((resolve) => service.stdout?.once("data", resolve));
  const sandbox = await newSandbox(instance, temporaryWorkspace(), { name: "allowing" });
  const allowing = placeOf(sandbox);
  const denying = placeOf(
    await newSandbox(instance, temporaryWorkspace(), {
      name: "denying",
      network: { policy: "deny", allowHosts: ["github.com"] },
    }),
  );
  return { internet, instance, plain, neighbour, sandbox, allowing, denying };
}

/** A server that answers everything with these words. */
export function serving(words: string, ...ports: readonly number[]): string {
  const listen = ports.map((port) => `server().listen(${port}, "0.0.0.0", () => console.log("up"));`);
  return `const server = () => require("node:http").createServer((q, r) => r.end("${words}")); ${listen.join(" ")}`;
}
