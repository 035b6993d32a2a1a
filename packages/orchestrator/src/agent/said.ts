/** A person's words, and the line that they are about. */
export interface Said {
  file: string | null;
  line: number | null;
  text: string;
}

/** With the line that it is about. */
export function placedText({ file, line, text }: Said): string {
  if (file === null) return text;
  return line === null ? `${file}: ${text}` : `${file}:${line}: ${text}`;
}
