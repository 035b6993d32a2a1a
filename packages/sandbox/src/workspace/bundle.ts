import { SandboxError } from "../errors.ts";
import { printable } from "../files/untrusted-text.ts";
import type { ObjectFormat } from "./repository.ts";

export interface Ref {
  name: string;
  oid: string;
}

export interface BundleHeader {
  format: ObjectFormat;
  /** Commits that the receiver must have. */
  prerequisites: string[];
  refs: Ref[];
}

/** A thousand branches with long names fit many times. */
const longestHeader = 1024 * 1024;

/** The text in front of the pack: a pack with this before it is what `git bundle` reads and writes. */
export function writeHeader({ format, prerequisites, refs }: BundleHeader): Buffer {
  const first = format === "sha1" ? ["# v2 git bundle"] : ["# v3 git bundle", `@object-format=${format}`];
  const lines = [
    ...first,
    ...prerequisites.map((oid) => `-${oid}`),
    ...refs.map(({ oid, name }) => `${oid} ${name}`),
  ];
  return Buffer.from(`${lines.join("\n")}\n\n`);
}

/**
 * Reads the header of a bundle that an agent may have written, and leaves the pack to be read by whoever checks
 * it. The names of refs are as they came: see ref-names.ts.
 */
export async function readBundle(
  bytes: AsyncGenerator<Buffer, void>,
): Promise<{ header: BundleHeader; pack: AsyncGenerator<Buffer, void> }> {
  let text = Buffer.alloc(0);
  for (;;) {
    const end = text.indexOf("\n\n");
    if (end !== -1) {
      return { header: parseHeader(text.subarray(0, end)), pack: rest(text.subarray(end + 2), bytes) };
    }
    if (text.length > longestHeader) throw malformed("its header does not end");
    const step = await bytes.next();
    if (step.done) throw malformed("it ends in its header");
    text = Buffer.concat([text, step.value]);
  }
}

async function* rest(first: Buffer, bytes: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  if (first.length > 0) yield first;
  yield* bytes;
}

function parseHeader(bytes: Buffer): BundleHeader {
  const lines = decode(bytes).split("\n");
  const format = parseFormat(lines);
  const oid = format === "sha1" ? "[0-9a-f]{40}" : "[0-9a-f]{64}";
  const header: BundleHeader = { format, prerequisites: [], refs: [] };
  for (const line of lines) {
    const found = new RegExp(`^(-?)(${oid})(?: (.*))?$`).exec(line);
    if (!found) throw malformed(`it has the line ${JSON.stringify(printable(line, 80))}`);
    const [, minus, id = "", name] = found;
    if (minus) header.prerequisites.push(id);
    else if (name) header.refs.push({ name, oid: id });
    else throw malformed("a ref has no name");
  }
  return header;
}

/** Takes the lines that say what kind of bundle it is from the front. */
function parseFormat(lines: string[]): ObjectFormat {
  const first = lines.shift();
  if (first === "# v2 git bundle") return "sha1";
  if (first !== "# v3 git bundle") throw malformed("it does not start like one");
  const capability = lines.shift();
  if (capability === "@object-format=sha1") return "sha1";
  if (capability === "@object-format=sha256") return "sha256";
  throw malformed(`it wants ${JSON.stringify(printable(capability ?? "", 80))}`);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed("its header is not UTF-8");
  }
}

function malformed(reason: string): SandboxError {
  return new SandboxError("git_failed", `what the sandbox sent is not a bundle of commits: ${reason}`, {
    remedy: "look at the repository inside with `git status`; something there may have replaced `git`",
  });
}
