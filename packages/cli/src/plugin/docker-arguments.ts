import { UsageError } from "../errors.ts";

export interface PluginCall {
  /** What follows `docker sandbox`. */
  words: string[];
  context: string | undefined;
  /** What docker's own flags change about the environment. */
  env: Record<string, string>;
}

/** Flags of docker itself, which hands them to a plugin unread and in front of its name. */
const valueFlags: Record<string, string> = {
  "--config": "DOCKER_CONFIG",
  "--context": "context",
  "-c": "context",
  "--host": "DOCKER_HOST",
  "-H": "DOCKER_HOST",
  "--log-level": "ignored",
  "-l": "ignored",
};
const plainFlags: Record<string, Record<string, string>> = {
  "--debug": { OPENTIGER_DEBUG: "1" },
  "-D": { OPENTIGER_DEBUG: "1" },
  "--tlsverify": { DOCKER_TLS_VERIFY: "1" },
};

/** Reads `docker-sandbox [DOCKER'S FLAGS] sandbox WORDS…`, the way docker starts a plugin. */
export function readPluginCall(argv: readonly string[]): PluginCall {
  const completing = argv[0] === "__complete";
  const given: Record<string, string> = {};
  let at = completing ? 1 : 0;
  while (at < argv.length && argv[at] !== "sandbox") {
    const word = argv[at] ?? "";
    const [flag, attached] = splitFlag(word);
    const meaning = valueFlags[flag];
    if (meaning === undefined && !(word in plainFlags)) throw unknownFlag(word);
    if (meaning === undefined) Object.assign(given, plainFlags[word]);
    else given[meaning] = attached ?? argv[at + 1] ?? "";
    at += meaning !== undefined && attached === undefined ? 2 : 1;
  }
  const { context, ignored: _, ...env } = given;
  return { words: [...(completing ? ["__complete"] : []), ...argv.slice(at + 1)], context, env };
}

function splitFlag(word: string): [string, string | undefined] {
  const equals = word.indexOf("=");
  if (word.startsWith("--") && equals > 0) return [word.slice(0, equals), word.slice(equals + 1)];
  if (/^-[cHl]./.test(word)) return [word.slice(0, 2), word.slice(2).replace(/^=/, "")];
  return [word, undefined];
}

function unknownFlag(word: string): UsageError {
  if (word.startsWith("--tls")) {
    return new UsageError(
      `docker's flag ${word} is not understood here`,
      "Use a docker context, or DOCKER_CERT_PATH.",
    );
  }
  return new UsageError(`"${word}" in front of \`sandbox\` is not understood`, "See: docker sandbox --help");
}
