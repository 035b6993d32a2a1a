import { Readable, Writable } from "node:stream";
import type { Inside } from "./inside-command.ts";

/** One member of a hand-made archive: whatever a header can say, true or not. */
export interface Member {
  name: string;
  /** The type flag: "0" file, "1" hard link, "2" link, "3" device, "5" folder, "6" FIFO, "x" extended header… */
  type?: string;
  content?: string;
  /** Default: the length of the content. */
  size?: number;
  link?: string;
  mode?: number;
}

/** The bytes of an archive, without asking whether anyone should make it. */
export function archive(members: readonly Member[]): Buffer {
  return Buffer.concat([
    ...members.flatMap((member) => [header(member), content(member)]),
    Buffer.alloc(1024),
  ]);
}

/** An extended header for the member that follows. */
export function extended(fields: Readonly<Record<string, string>>): Member {
  const records = Object.entries(fields).map(([key, value]) => record(`${key}=${value}\n`));
  return { name: "PaxHeader", type: "x", content: records.join("") };
}

/** A sandbox whose `tar` has been replaced: it sends these bytes and exits. */
export function sending(bytes: Buffer, code = 0): Inside {
  return {
    exec: async () => ({
      id: "fixture-1",
      pid: 1,
      stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
      exit: Promise.resolve({ code, signal: null, reason: "exited" }),
      output: async function* () {
        let offset = 0;
        for await (const data of Readable.from(pieces(bytes))) {
          yield { stream: "stdout", offset, data };
          offset += data.length;
        }
      },
      kill: async () => {},
      detach: () => {},
    }),
  };
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += 700) yield bytes.subarray(start, start + 700);
}

function header(member: Member): Buffer {
  const block = Buffer.alloc(512);
  block.write(member.name, 0, 100, "utf8");
  block.write(octal(member.mode ?? 0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(member.size ?? Buffer.byteLength(member.content ?? ""), 11), 124);
  block.write(octal(1_000_000_000, 11), 136);
  block.write(member.type ?? "0", 156);
  block.write(member.link ?? "", 157, 100, "utf8");
  block.write("ustar\0" + "00", 257, "latin1");
  block.fill(" ", 148, 156);
  block.write(
    octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    ),
    148,
  );
  block.write("\0 ", 154, "latin1");
  return block;
}

function content(member: Member): Buffer {
  const bytes = Buffer.from(member.content ?? "");
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function record(text: string): string {
  const bare = Buffer.byteLength(text) + 1;
  const digits = String(bare + String(bare).length).length;
  return `${bare + digits} ${text}`;
}
