import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { takeIfFree } from "./turn.ts";

/** Below those that the kernel gives to connections and to who listens on port 0: there nobody comes in between. */
const firstPort = 20_000;
const lastPort = 32_000;

/** A port of this machine's loopback on which nobody listens now, and which no other test file is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort);
    if ((await takeIfFree(`port-${port}`)) && (await canListen(port))) return port;
  }
}

async function canListen(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
  } catch {
    return false;
  }
  probe.close();
  await once(probe, "close");
  return true;
}
