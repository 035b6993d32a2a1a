/** One question of a program inside to its resolver. */
export interface Question {
  id: number;
  opcode: number;
  recursionDesired: boolean;
  /** As it was asked, one character for each byte. */
  name: string;
  type: number;
  class: number;
  /** Goes back in the answer byte by byte: programs compare the letters' case. */
  wire: Buffer;
}

export const recordType = { a: 1, any: 255 } as const;
export const internetClass = 1;

export const responseCode = { ok: 0, failure: 2, noSuchName: 3, unsupported: 4, refused: 5 } as const;

export interface Answer {
  code: (typeof responseCode)[keyof typeof responseCode];
  /** An IPv4 address, and for how many seconds it may be kept. */
  address?: string;
  ttl?: number;
}

const headerBytes = 12;

/** A question is small; what is larger is none. */
export const maxQuestionBytes = 512;

/** As the protocol has it, with the lengths. */
const maxNameBytes = 255;
const maxLabelBytes = 63;

/** undefined for anything that is not one well-formed question: nobody is owed an answer to that. */
export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < headerBytes + 5 || message.length > maxQuestionBytes) return undefined;
  const flags = message.readUInt16BE(2);
  const isAnswer = (flags & 0x8000) !== 0;
  if (isAnswer || message.readUInt16BE(4) !== 1) return undefined;
  const name = readName(message);
  if (!name || name.end + 4 > message.length) return undefined;
  return {
    id: message.readUInt16BE(0),
    opcode: (flags >> 11) & 0xf,
    recursionDesired: (flags & 0x0100) !== 0,
    name: name.text,
    type: message.readUInt16BE(name.end),
    class: message.readUInt16BE(name.end + 2),
    wire: message.subarray(headerBytes, name.end + 4),
  };
}

export function writeAnswer(question: Question, { code, address, ttl = 0 }: Answer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(question.id, 0);
  const recursion = (question.recursionDesired ? 0x0100 : 0) | 0x0080;
  header.writeUInt16BE(0x8000 | (question.opcode << 11) | recursion | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address === undefined ? 0 : 1, 6);
  if (address === undefined) return Buffer.concat([header, question.wire]);
  const record = Buffer.alloc(16);
  // The name is the question's, which begins behind the header.
  record.writeUInt16BE(0xc000 | headerBytes, 0);
  record.writeUInt16BE(recordType.a, 2);
  record.writeUInt16BE(internetClass, 4);
  record.writeUInt32BE(ttl, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split(".").map(Number), 12);
  return Buffer.concat([header, question.wire, record]);
}

/** A question refers to nothing before it, so a compressed name is malformed here. */
function readName(message: Buffer): { text: string; end: number } | undefined {
  const labels: string[] = [];
  for (let at = headerBytes; at < message.length && at - headerBytes < maxNameBytes; ) {
    const length = message.readUInt8(at);
    if (length === 0) return { text: labels.join("."), end: at + 1 };
    if (length > maxLabelBytes || at + 1 + length > message.length) return undefined;
    // A dot within a label is no border between two.
    labels.push(message.toString("latin1", at + 1, at + 1 + length).replaceAll(".", "\\."));
    at += 1 + length;
  }
  return undefined;
}
