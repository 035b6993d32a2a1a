import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

export function packOf(agent: string, ...revisions: readonly string[]): Buffer {
  return execFileSync("git", ["-C", agent, "pack-objects", "--revs", "--thin", "--stdout", "-q"], {
    input: `${revisions.join("\n")}\n`,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

export function bundle(lines: readonly string[], pack: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`# v2 git bundle\n${lines.map((line) => `${line}\n`).join("")}\n`),
    pack,
  ]);
}

/** A pack of objects as they are, whatever git would think of them. */
function rawPack(objects: readonly RawObject[]): Buffer {
  const header = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  header.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([header, ...objects.map(rawObject)]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

interface RawObject {
  type: keyof typeof kinds;
  content: Buffer;
  /** For a delta: what it builds on. */
  base?: string;
}

const kinds = { commit: 1, tree: 2, blob: 3, delta: 7 };

function rawObject({ type, content, base = "" }: RawObject): Buffer {
  const low = content.length % 16;
  const high = Math.floor(content.length / 16);
  const size = high === 0 ? [] : [...varint(high)];
  const first = (kinds[type] << 4) | low | (high > 0 ? 128 : 0);
  return Buffer.concat([Buffer.from([first, ...size]), Buffer.from(base, "hex"), deflateSync(content)]);
}

function varint(value: number): number[] {
  const low = value % 128;
  const high = Math.floor(value / 128);
  return high === 0 ? [low] : [low | 128, ...varint(high)];
}

/** A pack of some kilobytes that holds an object of this many times 16 MiB. */
export function deltaBomb(times: number): Buffer {
  const content = Buffer.alloc(0xffffff);
  const sizes = [...varint(content.length), ...varint(content.length * times)];
  const copies = Buffer.alloc(4 * times, Buffer.from([0xf0, 0xff, 0xff, 0xff]));
  const delta = Buffer.concat([Buffer.from(sizes), copies]);
  return rawPack([
    { type: "blob", content },
    { type: "delta", content: delta, base: idOf("blob", content) },
  ]);
}

export function idOf(type: string, content: Buffer): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}

/** A commit on the base with a tree of our making. */
export function crafted(base: string, tree: Buffer, blobs: readonly Buffer[] = []) {
  const who = "Eve <eve@example.com> 1000000000 +0000";
  const commit = Buffer.from(
    `tree ${idOf("tree", tree)}\nparent ${base}\nauthor ${who}\ncommitter ${who}\n\nhi\n`,
  );
  const objects = [
    { type: "commit" as const, content: commit },
    { type: "tree" as const, content: tree },
    ...blobs.map((content) => ({ type: "blob" as const, content })),
  ];
  return { oid: idOf("commit", commit), pack: rawPack(objects) };
}

export function treeEntry(mode: string, name: string, oid: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]);
}
