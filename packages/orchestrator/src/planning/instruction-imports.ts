import { posix } from "node:path";

/** Code names things with an @ that are no files to be read: a decorator, a package, a person. */
const code =
  /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))|(?<!`)(`+)(?!`)[\s\S]*?\2/gm;

/** As Claude Code reads them: at the beginning of a word. What ends a sentence is no part of it. */
const named = /(?<=^|\s)@((?:[^\s\\]|\\ )+)/g;

/** Paths in the tree that a file's text names with an @, relative to the file. One that leads out of the tree is none. */
export function importsOf(text: string, path: string): string[] {
  const found = [...text.replaceAll(code, " ").matchAll(named)].flatMap(([, word = ""]) => {
    const name = word.replaceAll("\\ ", " ");
    return [name, withoutEnd(name)];
  });
  const paths = found
    .filter((name) => name !== "" && !/^[/~]/.test(name))
    .map((name) => posix.join(posix.dirname(path), name))
    .filter((name) => name !== ".." && !name.startsWith("../"));
  return [...new Set(paths)];
}

/** Character by character from its end: a pattern would begin anew at each dot within a word of any length. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && `.,;:!?)]}'"`.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
