import { type FileHandle, open } from "node:fs/promises";
import { jsonOf } from "@opentiger/schema";
import { type TranscriptRecord, transcriptRecord } from "./transcript-record.ts";

const pieceBytes = 256 * 1024;

/** No record line is longer, and no piece of output larger: a file with such is not one of ours. */
const longestLine = 1024 * 1024;
const largestPiece = 64 * 1024 * 1024;

const newline = 0x0a;

export interface ReadRecord {
  record: TranscriptRecord;
  /** Of stdout and stderr. */
  data: Buffer;
  /** Of the file, up to the end of this record. */
  size: number;
}

/**
 * What is whole in a transcript, from the beginning. A last record without its end is what was being written when its
 * writer died; it is left out, since the sandbox still has it.
 */
export async function* readTranscript(path: string): AsyncGenerator<ReadRecord, void> {
  const file = await open(path, "r");
  try {
    const source = new Source(file);
    for (;;) {
      const record = parsed(await source.line());
      if (!record) return;
      const size = "bytes" in record && record.kind !== "skipped" ? record.bytes : 0;
      if (size > largestPiece) return;
      const data = await source.bytes(size);
      if (!data) return;
      yield { record, data, size: source.position };
    }
  } finally {
    await file.close();
  }
}

function parsed(line: string | undefined): TranscriptRecord | undefined {
  if (line === undefined) return undefined;
  return transcriptRecord.safeParse(jsonOf(line)).data;
}

/** A file that is read in order, a line or so many bytes at a time. */
class Source {
  readonly #file: FileHandle;
  #held: Buffer = Buffer.alloc(0);
  #read = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Of what was given out. */
  get position(): number {
    return this.#read - this.#held.length;
  }

  /** undefined where the file ends before the line does. */
  async line(): Promise<string | undefined> {
    for (let looked = 0; ; ) {
      const end = this.#held.indexOf(newline, looked);
      if (end !== -1) return this.#take(end + 1).toString("utf8", 0, end);
      looked = this.#held.length;
      if (looked > longestLine || !(await this.#more())) return undefined;
    }
  }

  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#held.length < count) if (!(await this.#more())) return undefined;
    return this.#take(count);
  }

  #take(count: number): Buffer {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  async #more(): Promise<boolean> {
    const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(pieceBytes), 0, pieceBytes);
    this.#read += bytesRead;
    if (bytesRead > 0) this.#held = Buffer.concat([this.#held, buffer.subarray(0, bytesRead)]);
    return bytesRead > 0;
  }
}
