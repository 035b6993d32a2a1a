import { git } from "@opentiger/sandbox";
import type { Place } from "../place.ts";

export interface GitAuthor {
  name: string;
  email: string;
}

const nobody: GitAuthor = { name: "openTiger", email: "opentiger@localhost" };

/** What says where the user's settings are. */
const settingPlaces = [
  "HOME",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];

/**
 * In whose name commits are written: as openTiger is configured, else as git is in the environment, in this repository
 * and for this user. Where nobody said, it is openTiger itself.
 */
export async function gitAuthor(
  { env }: Pick<Place, "env">,
  config: Pick<Place["config"], "get">,
  userPath = "/",
): Promise<GitAuthor> {
  const settings = await userSettings(env, userPath);
  const first = (...said: (string | null | undefined)[]): string | undefined =>
    said.map((text) => cleaned(text ?? "")).find((text) => text !== "");
  return {
    name:
      first(
        config.get("OPENTIGER_GIT_NAME"),
        env["GIT_AUTHOR_NAME"],
        settings.get("author.name"),
        settings.get("user.name"),
      ) ?? nobody.name,
    email:
      first(
        config.get("OPENTIGER_GIT_EMAIL"),
        env["GIT_AUTHOR_EMAIL"],
        settings.get("author.email"),
        settings.get("user.email"),
      ) ?? nobody.email,
  };
}

/** Empty where there are none; a repository that cannot be asked has said nothing. */
async function userSettings(env: NodeJS.ProcessEnv, folder: string): Promise<Map<string, string>> {
  const places = settingPlaces.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const args = ["config", "-z", "--get-regexp", "^(user|author)\\.(name|email)$"];
  const said = await git(folder, args, { env: Object.fromEntries(places), allow: [1] }).catch(() => "");
  const entries = said.split("\0").filter((entry) => entry !== "");
  return new Map(
    entries.map((entry) => {
      const end = entry.indexOf("\n");
      return [entry.slice(0, end), entry.slice(end + 1)];
    }),
  );
}

/** What git would take out itself, or choke on. */
function cleaned(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\s<>]+/gu, " ")
    .replaceAll(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, "")
    .trim();
}
