import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";

/** Whose process is at the other end of a connection from this machine. */
export interface Peer {
  uid: number;
  /** Of its socket, as `/proc/PID/fd` names it. */
  inode: string;
}

/** unknown: this system does not say. absent: it says, and there is no such socket. */
export type FoundPeer = Peer | "unknown" | "absent";

/**
 * Looks the other end up in the kernel's table of this machine's sockets. It is asked when a request has come and its
 * sender waits for the answer: a socket that was left by its process belongs to nobody, and is taken for absent.
 */
export async function peerOf(socket: Socket): Promise<FoundPeer> {
  const { remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 } = socket;
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map(readTable));
  if (tables.every((table) => table === undefined)) return "unknown";
  const theirs = { address: plainAddress(remoteAddress), port: remotePort };
  const ours = { address: plainAddress(localAddress), port: localPort };
  for (const table of tables) {
    const found = findIn(table ?? "", theirs, ours);
    if (found) return found;
  }
  return "absent";
}

interface Place {
  address: string;
  port: number;
}

const established = "01";

function findIn(table: string, local: Place, remote: Place): Peer | undefined {
  for (const line of table.split("\n").slice(1)) {
    const [, from = "", to = "", state, , , , uid, , inode = "0"] = line.trim().split(/\s+/);
    if (state !== established || inode === "0") continue;
    if (isAt(from, local) && isAt(to, remote)) return { uid: Number(uid), inode };
  }
  return undefined;
}

function isAt(written: string, { address, port }: Place): boolean {
  const [hex = "", hexPort = ""] = written.split(":");
  return Number.parseInt(hexPort, 16) === port && readAddress(hex) === address;
}

/** The kernel writes addresses as words of 32 bits in the machine's own order, which is little-endian where we run. */
export function readAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join(".");
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return bytes.slice(12).join(".");
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** In the same form: four numbers, or the sixteen bytes of IPv6. */
export function plainAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const words = (part: string) => (part === "" ? [] : part.split(":"));
  const [left, right] = [words(head), words(tail ?? "")];
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(Math.max(0, missing)).fill("0"), ...right]
    .map((word) => word.padStart(4, "0"))
    .join("");
}

/** undefined where there is none: not Linux, or hidden from us. */
async function readTable(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
