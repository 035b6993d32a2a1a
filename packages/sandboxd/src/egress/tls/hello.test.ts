import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { encryptedHello, inRecords, madeHello, realHello, serverName } from "../fixture/client-hello.ts";
import { readHello } from "./hello.ts";

let hello: Buffer;

beforeAll(async () => {
  hello = await realHello("good.test");
});

describe("a TLS hello", () => {
  test("tells the server's name", () => {
    expect(readHello(hello)).toEqual({ kind: "hello", hello: { serverName: "good.test", encrypted: false } });
  });

  test("is read however it is cut into records and segments, and not before it is complete", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5000), { maxLength: 20 }), fc.nat(), (cuts, rest) => {
        const bytes = inRecords(hello, cuts);
        expect(readHello(bytes)).toMatchObject({ hello: { serverName: "good.test" } });
        expect(readHello(bytes.subarray(0, rest % bytes.length))).toBeUndefined();
        expect(readHello(Buffer.concat([bytes, Buffer.from([20, 3, 3, 0, 1, 1])]))).toMatchObject({
          hello: { serverName: "good.test" },
        });
      }),
    );
  });

  test("without a name, and encrypted ones, are known as such", () => {
    expect(readHello(madeHello())).toMatchObject({ hello: { serverName: undefined, encrypted: false } });
    expect(readHello(madeHello(serverName("front.test"), encryptedHello))).toMatchObject({
      hello: { serverName: "front.test", encrypted: true },
    });
  });

  test.each([
    ["two names", madeHello(serverName("good.test", "evil.test"))],
    ["no name in the list", madeHello(serverName())],
    ["two lists of names", madeHello(serverName("good.test"), serverName("evil.test"))],
    ["an extension that is cut short", madeHello({ type: 0, body: Buffer.from([0, 9, 0]) })],
    ["another message", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ["an empty record", Buffer.from([22, 3, 1, 0, 0])],
    ["a record that is too long", Buffer.from([22, 3, 1, 0xff, 0xff])],
    ["something else behind the first record", Buffer.from([22, 3, 1, 0, 5, 1, 0, 1, 0, 0, 21, 3, 3])],
  ])("with %s is malformed", (_what, bytes) => {
    expect(readHello(bytes)).toEqual({ kind: "malformed" });
  });

  test.each(["SSH-2.0-x", "GET / HTTP/1.1", "\x16\x02", "\x80\x2e\x01\x03\x01"])("is not %j", (text) => {
    expect(readHello(Buffer.from(text, "latin1"))).toEqual({ kind: "not-tls" });
  });

  test("whatever the bytes, reading them ends without an error", () => {
    const damaged = fc.tuple(fc.nat(), fc.nat(255)).map(([at, value]) => {
      const bytes = Buffer.from(hello);
      bytes[at % bytes.length] = value;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 200 }).map(Buffer.from)), (bytes) => {
        readHello(bytes);
        readHello(Buffer.concat([Buffer.from([22, 3, 1]), bytes]));
      }),
    );
  });
});
