import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { EgressOpening } from "@opentiger/schema";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listenForEgress, type TakeEgress } from "./listen.ts";
import { parseOpening } from "./opening.ts";

let folder: string;
let close: (() => Promise<void>)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-egress-"));
  close = [];
});

afterEach(async () => {
  for (const each of close) await each();
  rmSync(folder, { recursive: true });
});

describe("a connection out of a sandbox", () => {
  it("is handed over with every byte behind its opening, however they came", async () => {
    await listen((_opening, stream) => stream.pipe(stream));
    for (const pieces of [
      ['{"kind":"proxy"}\nhello'],
      ['{"kind":"proxy"}\n', "hello"],
      ['{"ki', 'nd":"proxy"', "}", "\nhel", "lo"],
    ]) {
      const socket = dial();
      for (const piece of pieces)
        await new Promise((resolve) => socket.write(piece, () => setTimeout(resolve, 5)));
      socket.end();
      expect(await all(socket)).toBe("hello");
    }
  });

  it("may be read as events too, and each direction ends by itself", async () => {
    await listen((opening, stream) => {
      let got = 0;
      stream.on("data", (chunk: Buffer) => {
        got += chunk.length;
      });
      stream.on("end", () => stream.end(`${opening.kind} ${got}`));
    });
    const socket = dial();
    socket.end(`{"kind":"name","host":"a.test","port":80}\n${"x".repeat(500_000)}`);
    expect(await all(socket)).toBe("name 500000");
  });

  it.each([
    ["no opening", "GET / HTTP/1.1\r\n\r\n"],
    ["an unknown kind", '{"kind":"all"}\n'],
    ["a port that is none", '{"kind":"host","port":0}\n'],
    ["an endless line", `{"kind":"proxy","x":"${"x".repeat(5000)}`],
    ["half of one", '{"kind":"pro'],
  ])("with %s is closed", async (_what, text) => {
    const openings: EgressOpening[] = [];
    await listen((opening) => openings.push(opening));
    const socket = dial();
    socket.end(text);
    expect(await all(socket)).toBe("");
    expect(openings).toEqual([]);
  });

  it("that says nothing is closed", async () => {
    await listen(() => {});
    const socket = dial();
    expect(await all(socket)).toBe("");
  });
});

describe("a listener", () => {
  it("takes the place of an older one at once, and what it took goes on", async () => {
    const older = await listen((_opening, stream) => void stream.once("data", () => stream.end("older")));
    const kept = dial();
    kept.write('{"kind":"proxy"}\n');
    await listen((_opening, stream) => stream.end("newer"));
    const fresh = dial();
    fresh.end('{"kind":"proxy"}\n');
    expect(await all(fresh)).toBe("newer");
    // Closing the older one leaves the newer one's socket alone.
    await older.close();
    kept.end("go on");
    expect(await all(kept)).toBe("older");
    expect(readdirSync(folder)).toEqual(["egress.sock"]);
  });

  it("that is closed leaves nothing", async () => {
    const listener = await listen(() => {});
    await listener.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});

it("an opening is one of the known ones or refused, whatever the text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect(() => parseOpening(text)).toThrow();
    }),
  );
});

async function listen(take: TakeEgress) {
  const listener = await listenForEgress(folder, (opening: EgressOpening, stream: Duplex) => {
    stream.on("error", () => {});
    take(opening, stream);
  });
  close.push(() => listener.close());
  return listener;
}

function dial(): Socket {
  const socket = connect({ path: join(folder, "egress.sock"), allowHalfOpen: true });
  socket.on("error", () => {});
  return socket;
}

function all(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.once("end", () => socket.destroy());
    socket.once("close", () => resolve(text));
  });
}
