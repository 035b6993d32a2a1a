import { dirname } from "node:path/posix";

export function readCommand(path: string): string {
  return `cat -- ${quoted(path)}`;
}

/** Writes exactly this content, where a patch cannot. */
export function writeCommand(path: string, content: string): string {
  return `mkdir -p -- ${quoted(dirname(path))} && printf %s ${quoted(content)} > ${quoted(path)}`;
}

/** One word for a shell, whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
