/** Who commits in a sandbox, as the host's own git says; null where it does not. */
export interface GitAuthor {
  gitName: string | null;
  gitEmail: string | null;
}

/** By this line a file that has the settings already is known. */
export const gitSettingsMark = "# made by opentiger";

/** For git's system-wide file, the weakest place: what the user or the repository sets wins. */
export function gitSettings({ gitName, gitEmail }: GitAuthor): string {
  const user = [
    gitName === null ? "" : `\tname = ${quoted(gitName)}\n`,
    gitEmail === null ? "" : `\temail = ${quoted(gitEmail)}\n`,
  ].join("");
  return `${gitSettingsMark}\n[safe]\n\tdirectory = *\n${user ? `[user]\n${user}` : ""}`;
}

/** As git reads it: it knows no escapes for control characters and refuses a file that holds some. */
function quoted(value: string): string {
  const oneLine = value.replaceAll(/\p{Cc}/gu, " ");
  return `"${oneLine.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
