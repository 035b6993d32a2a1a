import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { readStories } from "@opentiger/orchestrator";
import type { Plan } from "@opentiger/schema";
import { UsageError } from "../errors.ts";

/** More than the largest story file may have; whatever is given here has a smaller bound of its own. */
const mostMegabytes = 16;

/** What somebody wrote, in a file or on stdin. What is not the text that they see is refused, and not changed. */
export async function readGiven(file: string, cwd: string): Promise<string> {
  const name = file === "-" ? "stdin" : file;
  const bytes = await allOf(file === "-" ? process.stdin : createReadStream(resolve(cwd, file)), name);
  const text = textOf(bytes);
  if (text !== undefined) return text;
  throw new UsageError(
    `${name} is not text in UTF-8`,
    `Save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8 ${file === "-" ? "FILE" : file}`,
  );
}

export async function readPlan(file: string, cwd: string): Promise<Plan> {
  return readStories(await readGiven(file, cwd), file === "-" ? null : file);
}

async function allOf(stream: Readable, name: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let read = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      read += part.length;
      if (read > mostMegabytes * 1_000_000) throw tooLarge(name);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${name} cannot be read: ${why}`, "Name a file that you can read, or - for stdin.");
  }
  return Buffer.concat(parts);
}

function tooLarge(name: string): UsageError {
  return new UsageError(
    `${name} has more than ${mostMegabytes} MB`,
    "Put the long part into a file of the repository, commit it, and name the file.",
  );
}

/** Without a byte order mark. A NUL is in no text, and no database would keep it. */
function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
