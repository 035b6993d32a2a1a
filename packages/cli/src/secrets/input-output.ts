import { isCancel, password } from "@clack/prompts";
import { Sink } from "../exec/sink.ts";

/** The ways on which a value comes in or goes out. One object, so that a test can hand in its own. */
export interface ValuePaths {
  /** All of stdin; undefined when that is more than the limit. */
  readAll(limit: number): Promise<Buffer | undefined>;
  /** Asks at the terminal, without showing what is typed; undefined when the user would rather not. */
  askHidden(question: string): Promise<HiddenAnswer | undefined>;
  /** Exactly these bytes, on stdout. */
  writeRaw(bytes: Buffer): Promise<void>;
}

export interface HiddenAnswer {
  text: string;
  /** More was pasted than the one line that a prompt takes. */
  cut: boolean;
}

/** Those of this process. */
export const processPaths: ValuePaths = {
  async readAll(limit) {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of process.stdin) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size > limit) return undefined;
    }
    return Buffer.concat(chunks);
  },

  async askHidden(question) {
    const watch = new LineWatch();
    process.stdin.on("data", watch.see);
    try {
      const answer = await password({ message: question, input: process.stdin, output: process.stderr });
      if (isCancel(answer)) return undefined;
      return { text: answer, cut: await watch.sawMore() };
    } finally {
      process.stdin.off("data", watch.see);
      process.stdin.pause();
    }
  },

  async writeRaw(bytes) {
    await new Sink(1).write(bytes);
  },
};

/** The rest of what was pasted is there within this time, or was typed by hand. */
const pastedWithinMs = 60;

/** Watches what a prompt reads, for what stands behind the first line end. */
class LineWatch {
  #ended = false;
  #more = false;

  readonly see = (chunk: Buffer | string): void => {
    const text = chunk.toString();
    const end = this.#ended ? 0 : text.search(/[\r\n]/);
    if (end < 0) return;
    this.#ended = true;
    if (/[^\r\n]/.test(text.slice(end))) this.#more = true;
  };

  async sawMore(): Promise<boolean> {
    process.stdin.resume();
    await new Promise((done) => setTimeout(done, pastedWithinMs));
    return this.#more;
  }
}
