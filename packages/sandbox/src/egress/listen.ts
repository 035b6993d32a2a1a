import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, statSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { EgressOpening } from "@opentiger/schema";
import { egressSocket } from "../protocol/paths.ts";
import { readOpening } from "./opening.ts";

/** Takes a connection from inside a sandbox: what it wanted, and its bytes both ways. */
export type TakeEgress = (opening: EgressOpening, stream: Duplex) => void;

/** The supervisor writes the opening with its first packet. */
const openingTimeoutMs = 2_000;

/** Every connection of a sandbox may come at once. */
const backlog = 1024;

/**
 * Takes the connections of one sandbox through the folder that is shared with it. Whoever listens last gets them: the
 * socket of an older listener is replaced in one step. Closing it leaves the connections that were taken alone.
 */
export async function listenForEgress(folder: string, take: TakeEgress): Promise<{ close(): Promise<void> }> {
  const path = join(folder, egressSocket);
  const hidden = join(folder, `${process.pid}-${randomBytes(6).toString("hex")}.new`);
  const waiting = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => void receive(socket));
  await listen(server, hidden);
  const own = publish(hidden, path);
  return {
    close: async () => {
      server.close();
      for (const socket of waiting) socket.destroy();
      if (inodeOf(path) === own) rmSync(path, { force: true });
    },
  };

  async function receive(socket: Socket): Promise<void> {
    waiting.add(socket);
    socket.on("error", () => {});
    const timer = setTimeout(() => socket.destroy(), openingTimeoutMs);
    try {
      const opening = await readOpening(socket);
      if (!socket.destroyed) take(opening, socket);
    } catch {
      socket.destroy();
    } finally {
      clearTimeout(timer);
      waiting.delete(socket);
    }
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, backlog }, () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
}

/** The supervisor is another user than we are; nobody else can enter the folder. */
function publish(hidden: string, path: string): bigint | undefined {
  chmodSync(hidden, 0o666);
  const own = inodeOf(hidden);
  renameSync(hidden, path);
  return own;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
