/** From here on a pattern is no literal path any more, in any dialect of globs. */
const globStart = /[*?[\]{}()!+@\\]/;

interface Area {
  /** What every path of it begins with. */
  readonly prefix: string;
  /** The prefix is a whole path: a file, or a folder with all that is in it. */
  readonly whole: boolean;
}

/**
 * Whether two tasks may touch the same file, by the paths that they are allowed. It never misses an overlap, and sees
 * one where there is none only if two patterns begin alike. A task without paths may touch anything.
 */
export function pathsOverlap(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return true;
  const areas = other.map(areaOf);
  return one.map(areaOf).some((area) => areas.some((another) => areasMeet(area, another)));
}

function areaOf(pattern: string): Area {
  const path = pattern.replace(/^(?:\.?\/+)+/, "").replace(/\/{2,}/g, "/");
  // Where a path goes back up or stays, what it begins with says nothing.
  if (path.split("/").some((part) => part === ".." || part === ".")) return { prefix: "", whole: false };
  const start = path.search(globStart);
  if (start >= 0) return { prefix: path.slice(0, start), whole: false };
  const whole = path.replace(/\/$/, "");
  return { prefix: whole, whole: whole !== "" };
}

function areasMeet(one: Area, other: Area): boolean {
  return covers(one, other) || covers(other, one);
}

/** Whether what the inner begins with can be reached within the outer. */
function covers(outer: Area, inner: Area): boolean {
  if (!outer.whole) return inner.prefix.startsWith(outer.prefix);
  return inner.prefix === outer.prefix || inner.prefix.startsWith(`${outer.prefix}/`);
}
