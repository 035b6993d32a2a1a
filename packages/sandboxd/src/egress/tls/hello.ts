/** What the first message of a TLS client says in the clear. */
export interface Hello {
  /** As sent; undefined when there is none. */
  serverName: string | undefined;
  /** The extension encrypted_client_hello is there: the name that counts may be another, and cannot be seen. */
  encrypted: boolean;
}

/** `undefined` wants more bytes. `malformed` began as TLS and is not. */
export type HelloResult = { kind: "hello"; hello: Hello } | { kind: "malformed" } | { kind: "not-tls" };

export const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0x0000;
const encryptedHelloExtension = 0xfe0d;
const largestFragment = 16_384;

/**
 * Reads a ClientHello, however it is cut into records and segments. Whatever could be read in two ways, such as an
 * extension or a name that stands there twice, is malformed.
 */
export function readHello(bytes: Buffer): HelloResult | undefined {
  // The type of the message, where it is there already.
  const isTls = bytes[0] === handshakeRecord && bytes[1] === 3;
  if (isTls && (bytes[5] ?? clientHello) !== clientHello) return { kind: "malformed" };
  const message = handshakeMessage(bytes);
  if (message === undefined || "kind" in message) return message;
  try {
    return { kind: "hello", hello: parseHello(new Reader(message)) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "malformed" };
    throw error;
  }
}

/** The body of the first handshake message, put together from as many records as it takes. */
function handshakeMessage(bytes: Buffer): Buffer | Exclude<HelloResult, { kind: "hello" }> | undefined {
  const fragments: Buffer[] = [];
  let size: number | undefined;
  let length = 0;
  for (let at = 0; ; ) {
    const record = readRecord(bytes.subarray(at));
    if (record === undefined) return undefined;
    if ("kind" in record) return at === 0 ? record : { kind: "malformed" };
    fragments.push(record.fragment);
    length += record.fragment.length;
    if (size === undefined && length >= 4) size = 4 + Buffer.concat(fragments, length).readUIntBE(1, 3);
    if (size !== undefined && length >= size) return Buffer.concat(fragments, length).subarray(4, size);
    if (!record.whole) return undefined;
    at += 5 + record.fragment.length;
  }
}

/** As much of the record at the start as is there. */
function readRecord(
  bytes: Buffer,
): { fragment: Buffer; whole: boolean } | Exclude<HelloResult, { kind: "hello" }> | undefined {
  const isTls = (bytes[0] ?? handshakeRecord) === handshakeRecord && (bytes[1] ?? 3) === 3;
  if (!isTls) return { kind: "not-tls" };
  if (bytes.length < 5) return undefined;
  const size = bytes.readUInt16BE(3);
  if (size === 0 || size > largestFragment) return { kind: "malformed" };
  const fragment = bytes.subarray(5, 5 + size);
  return { fragment, whole: fragment.length === size };
}

function parseHello(hello: Reader): Hello {
  hello.bytes(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  const result: Hello = { serverName: undefined, encrypted: false };
  if (hello.isEmpty) return result;
  const extensions = new Reader(hello.vector(2));
  if (!hello.isEmpty) throw new RangeError("bytes behind the extensions");
  const seen = new Set<number>();
  while (!extensions.isEmpty) {
    const type = extensions.number(2);
    const body = extensions.vector(2);
    if (seen.has(type)) throw new RangeError("an extension twice");
    seen.add(type);
    if (type === serverNameExtension) result.serverName = parseServerName(new Reader(body));
    if (type === encryptedHelloExtension) result.encrypted = true;
  }
  return result;
}

function parseServerName(body: Reader): string {
  const names = new Reader(body.vector(2));
  const type = names.number(1);
  const name = names.vector(2);
  if (type !== 0 || !names.isEmpty || !body.isEmpty) throw new RangeError("not exactly one host name");
  return name.toString("latin1");
}

/** Reads forward and throws a RangeError at the end. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new RangeError("cut short");
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(size: 1 | 2): number {
    return this.bytes(size).readUIntBE(0, size);
  }

  vector(lengthSize: 1 | 2): Buffer {
    return this.bytes(this.number(lengthSize));
  }
}
