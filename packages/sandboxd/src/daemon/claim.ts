import { chmodSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { connect, type Server } from "node:net";
import { errno } from "@opentiger/schema";

/** How often somebody else may come between looking and taking before we believe that they are there. */
const tries = 5;

export interface Claim {
  /** Whether the socket under our name is still ours: a state folder can be removed, a socket replaced. */
  holds(): boolean;
  release(): void;
}

/**
 * Listens on a path that at most one process has. The socket is made under a name of its own and then linked, which
 * is exclusive; one that nobody answers on is what a killed process left. undefined when somebody answers.
 */
export async function claimSocket(path: string, server: Server): Promise<Claim | undefined> {
  const own = `${path}.${process.pid}`;
  rmSync(own, { force: true });
  await listen(server, own);
  chmodSync(own, 0o600);
  const { ino } = statSync(own);
  for (let attempt = 0; attempt < tries; attempt++) {
    if (link(own, path)) {
      rmSync(own, { force: true });
      const holds = (): boolean => inode(path) === ino;
      return { holds, release: () => holds() && rmSync(path, { force: true }) };
    }
    if ((await answers(path)) || (await takenMeanwhile(path))) break;
  }
  server.close();
  return undefined;
}

/** Whether a process accepts connections there. */
export function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Puts the silent socket aside. If it turns out to be another's fresh one, it is put back. */
async function takenMeanwhile(path: string): Promise<boolean> {
  const aside = `${path}.${process.pid}.old`;
  try {
    renameSync(path, aside);
  } catch {
    return false;
  }
  const taken = await answers(aside);
  if (taken) link(aside, path);
  rmSync(aside, { force: true });
  return taken;
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error;
  }
}

function inode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
