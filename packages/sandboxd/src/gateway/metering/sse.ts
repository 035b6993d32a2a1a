const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Takes a stream of server-sent events in pieces of any size and tells the data of each event. It holds at most
 * `limit` bytes; an event that is larger is counted and not told.
 */
export class EventData {
  /** Events that had data, told or not. */
  count = 0;
  readonly #limit: number;
  readonly #tell: (data: string) => void;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #data: string[] = [];
  #dataBytes = 0;
  #tooLarge = false;

  constructor(limit: number, tell: (data: string) => void) {
    this.#limit = limit;
    this.#tell = tell;
  }

  feed(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** A stream that was cut may have lost only the empty line behind its last event. */
  end(): void {
    if (this.#lineBytes > 0) this.#endLine();
    this.#dispatch();
  }

  /** A copy: the chunk may be a view of a buffer that is used again. */
  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#lineBytes += part.length;
    if (this.#lineBytes + this.#dataBytes > this.#limit) {
      this.#tooLarge = true;
      this.#line = [];
      return;
    }
    this.#line.push(Buffer.from(part));
  }

  #endLine(): void {
    const bytes = this.#line.length === 1 ? (this.#line[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#line);
    const empty = this.#lineBytes === 0 || (this.#lineBytes === 1 && bytes[0] === carriageReturn);
    this.#line = [];
    this.#lineBytes = 0;
    if (empty) return this.#dispatch();
    const line = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
    if (!line.subarray(0, 5).equals(dataField)) return;
    const value = line.subarray(line[5] === 0x20 ? 6 : 5).toString("utf8");
    this.#dataBytes += line.length;
    this.#data.push(value);
  }

  #dispatch(): void {
    const data = this.#data.join("\n");
    const seen = this.#data.length > 0 || this.#tooLarge;
    if (seen) this.count += 1;
    if (seen && !this.#tooLarge) this.#tell(data);
    this.#data = [];
    this.#dataBytes = 0;
    this.#tooLarge = false;
  }
}

const dataField = Buffer.from("data:");
