import { EventEmitter } from "node:events";
import type { Server } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { NameTable, nameTtl } from "./name-table.ts";

let now: number;
let open: Set<string>;
let refused: Set<number>;
let table: NameTable;

beforeEach(() => {
  now = 0;
  open = new Set();
  refused = new Set();
  table = new NameTable(
    async (_host, address, port) => {
      if (refused.has(port)) throw new Error("EADDRINUSE");
      open.add(`${address}:${port}`);
      return closing(() => open.delete(`${address}:${port}`));
    },
    () => now,
  );
});

describe("a name's address", () => {
  it("stays the same, is no other name's, and has both doors", async () => {
    const [one, again, two] = await Promise.all(["one", "one", "two"].map((name) => table.addressOf(name)));
    expect(one).toBe("127.64.0.1");
    expect(again).toBe(one);
    expect(two).toBe("127.64.0.2");
    expect(open).toEqual(new Set(["127.64.0.1:80", "127.64.0.1:443", "127.64.0.2:80", "127.64.0.2:443"]));
  });

  it("is given although one port is taken, and that door is opened as soon as it can be", async () => {
    refused.add(80);
    expect(await table.addressOf("one")).toBe("127.64.0.1");
    expect(open).toEqual(new Set(["127.64.0.1:443"]));
    refused.clear();
    await table.addressOf("one");
    expect(open.size).toBe(2);
  });

  it("is not given when nothing could be listened on", async () => {
    refused.add(80).add(443);
    expect(await table.addressOf("one")).toBeUndefined();
  });
});

describe("a full table", () => {
  it("gives nothing up that somebody may still hold, then the one that was not asked for longest", async () => {
    for (let name = 0; name < 1024; name += 1) await table.addressOf(`n${name}`);
    expect(await table.addressOf("late")).toBeUndefined();
    now += nameTtl * 1000;
    await table.addressOf("n0");
    expect(await table.addressOf("late")).toBe("127.64.4.1");
    expect(open.has("127.64.0.2:80")).toBe(false);
    expect(open.has("127.64.0.1:80")).toBe(true);
    // An address that was given up is nobody's: the name gets a new one.
    expect(await table.addressOf("n1")).toBe("127.64.4.2");
    expect(open.size).toBe(2048);
  });
});

/** As much of a server as a table knows. */
function closing(close: () => void): Server {
  return Object.assign(new EventEmitter(), { close }) as unknown as Server;
}
