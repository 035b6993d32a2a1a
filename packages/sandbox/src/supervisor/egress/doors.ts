import type { Server } from "node:net";
import type { EgressOpening } from "@opentiger/schema";
import { doorAddress, doorPorts, hostDoor } from "../../protocol/doors.ts";
import { insidePaths } from "../../protocol/paths.ts";
import type { SupervisorConfig } from "../config.ts";
import { RefusedError } from "../refusals.ts";
import { bridgedWayOut } from "./bridged-way-out.ts";
import { Porter } from "./door.ts";
import { NameTable } from "./name-table.ts";
import { openResolver } from "./resolver.ts";
import { folderWayOut } from "./way-out.ts";

/** Every way out of this sandbox. When this resolves, no command can take one of its ports any more. */
export async function openDoors(config: Pick<SupervisorConfig, "carrierDir" | "doors">): Promise<Doors> {
  const wayOut = config.carrierDir
    ? folderWayOut(config.carrierDir)
    : await bridgedWayOut(insidePaths.egress);
  const porter = new Porter(wayOut);
  const gateway = open(porter, doorAddress, doorPorts.gateway, { kind: "gateway" });
  if (config.doors === "gateway") await gateway;
  else {
    const names = new NameTable(async (host, address, port) =>
      porter.openDoor(address, port, { kind: "name", host, port }),
    );
    await Promise.all([
      gateway,
      open(porter, doorAddress, doorPorts.proxy, { kind: "proxy" }),
      open(porter, doorAddress, doorPorts.socks, { kind: "socks" }),
      openResolver(doorAddress, doorPorts.resolver, names).catch(taken(doorAddress, doorPorts.resolver)),
    ]);
  }
  return new Doors(porter);
}

/** The doors that can change while the sandbox runs: those to the host. */
export class Doors {
  readonly #porter: Porter;
  readonly #host = new Map<number, Server>();
  #changing: Promise<void> = Promise.resolve();

  constructor(porter: Porter) {
    this.#porter = porter;
  }

  /** Listens for exactly these. What is connected through one that goes away is left to sandboxd to cut. */
  setHostPorts(ports: readonly number[]): Promise<void> {
    this.#changing = this.#changing.catch(() => {}).then(() => this.#change(new Set(ports)));
    return this.#changing;
  }

  async #change(wanted: ReadonlySet<number>): Promise<void> {
    for (const [port, server] of this.#host) {
      if (wanted.has(port)) continue;
      server.close();
      this.#host.delete(port);
    }
    for (const port of wanted) {
      if (this.#host.has(port)) continue;
      this.#host.set(port, await open(this.#porter, hostDoor.address, port, { kind: "host", port }));
    }
  }
}

function open(porter: Porter, address: string, port: number, opening: EgressOpening): Promise<Server> {
  return porter.openDoor(address, port, opening).catch(taken(address, port));
}

function taken(address: string, port: number): (error: unknown) => never {
  return (error) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new RefusedError(
      "sandbox_broken",
      `the sandbox's way out at ${address}:${port} cannot be opened: ${why}`,
    );
  };
}
