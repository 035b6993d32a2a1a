import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import {
  type Answer,
  internetClass,
  maxQuestionBytes,
  type Question,
  readQuestion,
  recordType,
  responseCode,
  writeAnswer,
} from "./dns-message.ts";
import { meaningOf } from "./name-meaning.ts";
import { type NameTable, nameTtl } from "./name-table.ts";

/** Asking over TCP is rare, and one connection asks many times. */
const mostConnections = 32;
const silenceMs = 10_000;

/**
 * The sandbox's resolver. It asks nobody: a name that could be outside gets an address of the loopback, behind which the
 * doors to that name are. So no question leaves the sandbox, and nothing can be told to anybody by asking.
 */
export async function openResolver(address: string, port: number, names: NameTable): Promise<void> {
  await Promise.all([overDatagrams(address, port, names), overStreams(address, port, names)]);
}

export async function answerTo(question: Question, names: Pick<NameTable, "addressOf">): Promise<Answer> {
  if (question.opcode !== 0) return { code: responseCode.unsupported };
  if (question.class !== internetClass) return { code: responseCode.refused };
  const wantsAddress = question.type === recordType.a || question.type === recordType.any;
  const meaning = meaningOf(question.name);
  if (meaning.kind === "nothing") return { code: responseCode.noSuchName };
  if (!wantsAddress) return { code: responseCode.ok };
  const address = meaning.kind === "address" ? meaning.address : await names.addressOf(meaning.host);
  return address === undefined
    ? { code: responseCode.failure }
    : { code: responseCode.ok, address, ttl: nameTtl };
}

async function reply(message: Buffer, names: NameTable): Promise<Buffer | undefined> {
  const question = readQuestion(message);
  return question && writeAnswer(question, await answerTo(question, names));
}

function overDatagrams(address: string, port: number, names: NameTable): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({
      type: "udp4",
      // Addresses only: nothing is looked up, here least of all.
      lookup: (host, _options, found) => process.nextTick(found, null, host, 4),
    });
    socket.once("error", reject);
    socket.on("message", (message, from) => {
      void reply(message, names).then((answer) => {
        if (answer) socket.send(answer, from.port, from.address, () => {});
      });
    });
    socket.bind(port, address, () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve();
    });
  });
}

function overStreams(address: string, port: number, names: NameTable): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => void serve(socket, names).catch(() => socket.destroy()));
    server.maxConnections = mostConnections;
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
}

/** One question after the other, each with its length in front. */
async function serve(socket: Socket, names: NameTable): Promise<void> {
  socket.on("error", () => {});
  socket.setTimeout(silenceMs, () => socket.destroy());
  let pending: Buffer = Buffer.alloc(0);
  // A socket without an encoding gives buffers.
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2) {
      const length = pending.readUInt16BE(0);
      if (length > maxQuestionBytes) return void socket.destroy();
      if (pending.length < 2 + length) break;
      const answer = await reply(pending.subarray(2, 2 + length), names);
      if (!answer) return void socket.destroy();
      const size = Buffer.alloc(2);
      size.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([size, answer]));
      pending = pending.subarray(2 + length);
    }
  }
}
