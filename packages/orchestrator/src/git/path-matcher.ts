import { globMatcher } from "./glob.ts";

/**
 * Whether a path of the repository is one of these. Each is a file, or a folder with all that is in it, or a glob over
 * the whole path, in which `*` stays within a folder and `**` does not. One that has brackets in its name is found
 * by its name too: `app/[id]/page.tsx`. So is, and only so, one whose braces stand for more than anybody writes.
 */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  let matchers: ReturnType<typeof matcherOf>[] | undefined;
  return (path) => {
    // What has no file, as a test whose report names none, is in no folder either.
    if (path === "") return false;
    const names = path.split("/");
    // With the first path: the long lists are constants, of which most commands ask nothing.
    matchers ??= patterns.map(matcherOf);
    return matchers.some((matches) => matches(path, names));
  };
}

const wildcard = /[*?[{\\]/;

function matcherOf(pattern: string): (path: string, names: readonly string[]) => boolean {
  const plain = pattern.replace(/^(?:\.?\/+)+/, "").replaceAll(/\/{2,}/g, "/");
  const name = plain.replace(/\/$/, "");
  if (name === "" || name === ".") return () => true;
  const isNamed = (path: string): boolean => path === name || path.startsWith(`${name}/`);
  if (!wildcard.test(name)) return isNamed;
  const isMatched = globMatcher(plain.endsWith("/") ? `${plain}**` : plain);
  return (path, names) => isNamed(path) || isMatched(names);
}
