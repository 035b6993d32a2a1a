import type { Duplex } from "node:stream";
import { addressText } from "../host/address.ts";
import { parseHost } from "../host/host.ts";
import { type Parsed, parsed, refused } from "../host/parsed.ts";
import type { Target } from "../host/target.ts";
import type { EgressSandbox } from "../sandbox.ts";
import { farewell } from "../stream/farewell.ts";
import { type HeadParser, readHead } from "../stream/read-head.ts";
import type { Ways } from "../ways.ts";
import type { HttpDoor } from "./http/http-door.ts";
import { tunnel } from "./tunnel.ts";

/** RFC 1928. */
const version = 5;
const noAuthentication = 0;
const noMethod = 0xff;
const connectCommand = 1;
const reply = {
  succeeded: 0,
  failed: 1,
  notAllowed: 2,
  unreachable: 4,
  noSuchCommand: 7,
  noSuchAddressType: 8,
} as const;

/** The longest greeting has 257 bytes, the longest request 262. */
const limits = { bytes: 300, firstByteMs: 60_000, restMs: 10_000 };

type Question = { state: "connect"; target: Parsed<Target> } | { state: "refused"; code: number };

/** SOCKS5 without authentication, CONNECT only; from there on it is a tunnel like any other. */
export async function socksDoor(
  ways: Ways,
  http: HttpDoor,
  sandbox: EgressSandbox,
  stream: Duplex,
): Promise<void> {
  const greeting = await readHead(stream, parseGreeting, limits);
  if (greeting.state !== "read") return void stream.destroy();
  if (!greeting.value) return farewell(stream, Buffer.from([version, noMethod]));
  stream.write(Buffer.from([version, noAuthentication]));
  const request = await readHead(stream, parseRequest, limits);
  if (request.state !== "read") return void stream.destroy();
  if (request.value.state === "refused") return farewell(stream, answer(request.value.code));
  const { target } = request.value;
  if (!target.ok) {
    const why = `What SOCKS was asked for ${target.reason}.`;
    ways.refused(sandbox, undefined, { rule: "invalid", why, remedy: undefined });
    return farewell(stream, answer(reply.notAllowed));
  }
  await tunnel(ways, sandbox, target.value, stream, {
    opened: () => stream.write(answer(reply.succeeded)),
    refused: () => farewell(stream, answer(reply.notAllowed)),
    failed: () => farewell(stream, answer(reply.unreachable)),
    http: (spare) => http.accept({ sandbox, target: target.value, spare }, stream),
  });
}

/** Whether the client can do without authentication. */
const parseGreeting: HeadParser<boolean> = (bytes) => {
  if (bytes[0] !== version) return { value: false, used: bytes.length };
  const end = 2 + (bytes[1] ?? 0);
  if (bytes.length < Math.max(end, 2)) return undefined;
  return { value: bytes.subarray(2, end).includes(noAuthentication), used: end };
};

const parseRequest: HeadParser<Question> = (bytes) => {
  if (bytes.length < 5) return undefined;
  if (bytes[0] !== version) return { value: { state: "refused", code: reply.failed }, used: bytes.length };
  const size = addressSize(bytes);
  if (size === undefined) {
    return { value: { state: "refused", code: reply.noSuchAddressType }, used: bytes.length };
  }
  const end = 4 + size + 2;
  if (bytes.length < end) return undefined;
  if (bytes[1] !== connectCommand)
    return { value: { state: "refused", code: reply.noSuchCommand }, used: end };
  const port = bytes.readUInt16BE(end - 2);
  const host = parseHost(hostText(bytes.subarray(4, 4 + size), bytes[3] ?? 0));
  if (!host.ok) return { value: { state: "connect", target: host }, used: end };
  const target = port === 0 ? refused("has the port 0") : parsed({ host: host.value, port });
  return { value: { state: "connect", target }, used: end };
};

function addressSize(bytes: Buffer): number | undefined {
  if (bytes[3] === 1) return 4;
  if (bytes[3] === 4) return 16;
  return bytes[3] === 3 ? 1 + (bytes[4] ?? 0) : undefined;
}

/** An address goes the way of text too, so that there is one place where it becomes a host. */
function hostText(bytes: Buffer, type: number): string {
  if (type === 3) return utf8(bytes.subarray(1));
  const value = BigInt(`0x${bytes.toString("hex")}`);
  return addressText({ version: type === 1 ? 4 : 6, value });
}

/** What is not UTF-8 is not a name; a space makes sure that it is refused. */
function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return " ";
  }
}

/** The address in it is of no use to anybody behind a tunnel. */
function answer(code: number): Buffer {
  return Buffer.from([version, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}
