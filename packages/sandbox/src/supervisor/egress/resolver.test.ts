import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import type { Question } from "./dns-message.ts";
import { meaningOf } from "./name-meaning.ts";
import { answerTo } from "./resolver.ts";

const names = { addressOf: async (host: string) => (host === "full.test" ? undefined : "127.64.0.9") };

describe("the resolver", () => {
  it("answers the name of a host with an address of the loopback, whatever its case", async () => {
    expect(await answerTo(question("API.Example.com"), names)).toEqual({
      code: 0,
      address: "127.64.0.9",
      ttl: 30,
    });
  });

  it("knows no other records of it than the address", async () => {
    for (const type of [28, 16, 65, 15, 2])
      expect(await answerTo(question("a.test", { type }), names)).toEqual({ code: 0 });
  });

  it("says that it failed when there is no room, and refuses what it does not do", async () => {
    expect(await answerTo(question("full.test"), names)).toEqual({ code: 2 });
    expect(await answerTo(question("a.test", { opcode: 5 }), names)).toEqual({ code: 4 });
    expect(await answerTo(question("a.test", { class: 3 }), names)).toEqual({ code: 5 });
  });
});

describe("a name", () => {
  it.each(["localhost", "LOCALHOST", "app.localhost", hostname()])("%s is this sandbox itself", (name) => {
    expect(meaningOf(name)).toEqual({ kind: "address", address: "127.0.0.1" });
  });

  it("host.docker.internal is the host's doors", () => {
    expect(meaningOf("Host.Docker.Internal")).toEqual({ kind: "address", address: "127.0.0.2" });
  });

  it.each([
    "",
    "registry",
    "printer.local",
    "metadata.google.internal",
    "evil.host.docker.internal",
    "1.0.0.127.in-addr.arpa",
    "10.0.0.1",
    "x.invalid",
    "a..b",
    "-a.test",
    "a-.test",
    "a b.test",
    "a\0.test",
    "a\\.b.test",
    "ä.test",
    `${"a".repeat(64)}.test`,
    `${"a.".repeat(127)}test`,
  ])("%j leads nowhere", (name) => {
    expect(meaningOf(name)).toEqual({ kind: "nothing" });
  });

  it.each(["a.test", "_acme.a.test", "xn--bcher-kva.example", "1.2.3.example"])(
    "%s may be a host",
    (name) => {
      expect(meaningOf(name)).toEqual({ kind: "host", host: name });
    },
  );
});

function question(name: string, changed: Partial<Question> = {}): Question {
  return {
    id: 1,
    opcode: 0,
    recursionDesired: true,
    name,
    type: 1,
    class: 1,
    wire: Buffer.alloc(0),
    ...changed,
  };
}
