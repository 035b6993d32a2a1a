/**
 * The frames of one exec, over any byte stream: a type, a length, the offset of the first payload byte in its
 * stream, the payload. Splitting or joining the bytes in any way changes nothing.
 */
export const frameType = {
  // host → supervisor
  open: 1,
  attach: 2,
  stdin: 3,
  stdinEnd: 4,
  ackStdout: 5,
  ackStderr: 6,
  signal: 7,
  /** Instead of an exec: one question, its path in front of its JSON, and one answer. */
  request: 8,
  /** Instead of an exec: a connection to a port inside. Behind the answer come its bytes, without frames. */
  connect: 9,
  // supervisor → host
  opened: 16,
  stdout: 17,
  stderr: 18,
  exit: 19,
  refused: 20,
  /** How much of stdin the command's pipe has taken. The host keeps at most `stdinWindow` bytes beyond it under way. */
  ackStdin: 21,
  answer: 22,
  // Of connections that share one stream: see mux.ts. The offset is the connection's number.
  muxOpen: 32,
  muxData: 33,
  muxEnd: 34,
  muxReset: 35,
  muxCredit: 36,
} as const;

/**
 * Output is acknowledged on the same stream that carries stdin, so the supervisor must never stop reading it: a
 * command that copies stdin to stdout would otherwise wait for itself. Instead the host stays within this window.
 */
export const stdinWindow = 1024 * 1024;

export type FrameType = (typeof frameType)[keyof typeof frameType];

export interface Frame {
  type: FrameType;
  offset: number;
  payload: Buffer;
}

/** A peer that announces more than this is not one of ours. An exec's command and environment fit well within. */
export const maxPayload = 16 * 1024 * 1024;

const headerBytes = 11;
const knownTypes = new Set<number>(Object.values(frameType));
const empty = Buffer.alloc(0);

/** The header and the payload as separate buffers, so that a large payload is never copied. */
export function encodeFrame(type: FrameType, payload: Buffer = empty, offset = 0): [Buffer, Buffer] {
  if (payload.length > maxPayload) throw new RangeError(`a frame of ${payload.length} bytes is too large`);
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(payload.length, 1);
  header.writeUIntBE(offset, 5, 6);
  return [header, payload];
}

export function encodeJson(type: FrameType, value: unknown): [Buffer, Buffer] {
  return encodeFrame(type, Buffer.from(JSON.stringify(value)));
}

export function readJson(frame: Frame): unknown {
  return JSON.parse(frame.payload.toString("utf8"));
}

/** Takes bytes as they come and gives back whole frames. Throws on what cannot be a frame; holds one frame at most. */
export class FrameDecoder {
  #pending: Buffer[] = [];
  #size = 0;

  push(chunk: Buffer): Frame[] {
    this.#pending.push(chunk);
    this.#size += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame);
    return frames;
  }

  /** How many bytes are wanting until the header, and then the frame, is whole. */
  get missing(): number {
    if (this.#size < headerBytes) return headerBytes - this.#size;
    return headerBytes + this.#peek(headerBytes).readUInt32BE(1) - this.#size;
  }

  /** true when the stream may end here: no frame was cut. */
  get atBoundary(): boolean {
    return this.#size === 0;
  }

  #next(): Frame | undefined {
    if (this.#size < headerBytes) return undefined;
    const header = this.#peek(headerBytes);
    const type = header.readUInt8(0);
    const length = header.readUInt32BE(1);
    if (!isFrameType(type)) throw new Error(`unknown frame type ${type}`);
    if (length > maxPayload) throw new Error(`a frame of ${length} bytes is too large`);
    if (this.#size < headerBytes + length) return undefined;
    const offset = header.readUIntBE(5, 6);
    this.#take(headerBytes);
    return { type, offset, payload: this.#take(length) };
  }

  /** Joins pending chunks only until the wanted bytes lie in the first one. */
  #peek(bytes: number): Buffer {
    const first = this.#pending[0] ?? empty;
    if (first.length >= bytes) return first;
    const joined = Buffer.concat(this.#pending);
    this.#pending = [joined];
    return joined;
  }

  #take(bytes: number): Buffer {
    if (bytes === 0) return empty;
    const first = this.#peek(bytes);
    const taken = first.subarray(0, bytes);
    if (first.length === bytes) this.#pending.shift();
    else this.#pending[0] = first.subarray(bytes);
    this.#size -= bytes;
    return taken;
  }
}

function isFrameType(type: number): type is FrameType {
  return knownTypes.has(type);
}
