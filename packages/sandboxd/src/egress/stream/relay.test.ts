import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { received, streamPair } from "../fixture/stream-pair.ts";
import { relay } from "./relay.ts";

const open: Socket[] = [];

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** A client and a server with a relay between them, all on real sockets. */
async function relayed(): Promise<{ client: Socket; server: Socket; ends: Socket[] }> {
  const left = await streamPair();
  const right = await streamPair();
  const ends = [left.outside, right.outside];
  for (const end of ends) end.on("error", () => {});
  relay(left.outside, right.outside);
  open.push(left.inside, right.inside, ...ends);
  return { client: left.inside, server: right.inside, ends };
}

describe("a relay", () => {
  test("delivers what is still to be written after the sender has ended and gone", async () => {
    const { inside, outside } = await streamPair();
    open.push(inside, outside);
    const written: Buffer[] = [];
    let goOn = () => {};
    const waited = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        written.push(chunk);
        void waited.then(() => done());
      },
    });
    relay(outside, slow);
    slow.push(null);
    inside.write("first, ");
    await expect.poll(() => written.length).toBe(1);
    inside.end("second");
    await expect.poll(() => outside.closed).toBe(true);
    goOn();
    await expect.poll(() => slow.writableFinished).toBe(true);
    expect(Buffer.concat(written).toString()).toBe("first, second");
  });

  test("closes both sides after both have ended", async () => {
    const { client, server, ends } = await relayed();
    client.end("a");
    server.end("b");
    expect(await received(server)).toBe("a");
    expect(await received(client)).toBe("b");
    await expect.poll(() => ends.map((end) => end.destroyed)).toEqual([true, true]);
  });

  test.each([0, 1])("ends when side %i dies, whoever has ended before", async (side) => {
    for (const ended of ["nobody", "dying", "survivor"]) {
      const { client, server, ends } = await relayed();
      const survivor = side === 0 ? server : client;
      const dying = side === 0 ? client : server;
      if (ended === "survivor") {
        survivor.end();
        await received(dying);
      }
      dying.write("last words");
      if (ended === "dying") dying.end();
      await received(survivor, /last words/);
      ends[side]?.destroy();
      await expect.poll(() => ends.map((end) => end.destroyed)).toEqual([true, true]);
      expect(await received(survivor)).toBe("");
    }
  });
});
