/** With what the sentence begins that says why the user's repository does not show the branch; it stands last. */
const beginning = "Your repository does not show all of it: ";
const sentence = new RegExp(`\\s*${beginning}.*$`, "s");

/** The same in SQL, for a column of it: what is left without that sentence. */
export const withoutUnshown = (column: string): string =>
  `nullif(regexp_replace(${column}, '\\s*${beginning}.*$', ''), '')`;

/** Why the user's repository does not show the branch, of all that is said of a loop; null: nothing of that is. */
export function unshownIn(detail: string | null): string | null {
  const [, why] = detail?.split(beginning) ?? [];
  return why ?? null;
}

/** What is said of a loop, with why its branch is not shown; null takes that away. */
export function withUnshown(detail: string | null, why: string | null): string | null {
  const rest = detail?.replace(sentence, "") ?? "";
  const all = [rest, why === null ? "" : `${beginning}${why}`].filter((part) => part !== "");
  return all.length === 0 ? null : all.join(" ");
}
