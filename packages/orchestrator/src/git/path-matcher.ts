import picomatch from "picomatch";

/**
 * Whether a path of the repository is one of these. Each is a file, or a folder with all that is in it, or a glob over
 * the whole path, in which `*` stays within a folder and `**` does not. One that has brackets in its name is found
 * by its name too: `app/[id]/page.tsx`.
 */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.map(matcherOf);
  return (path) => matchers.some((matches) => matches(path));
}

const wildcard = /[*?[\]{}()!+@\\]/;

function matcherOf(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^(?:\.?\/+)+/, "").replaceAll(/\/{2,}/g, "/");
  const name = plain.replace(/\/$/, "");
  if (name === "" || name === ".") return () => true;
  const isNamed = (path: string): boolean => path === name || path.startsWith(`${name}/`);
  if (!wildcard.test(name)) return isNamed;
  const isMatched = picomatch(plain.endsWith("/") ? `${plain}**` : plain, { dot: true, nonegate: true });
  return (path) => isNamed(path) || isMatched(path);
}
