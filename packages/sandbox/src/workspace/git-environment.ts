/** No path has a meaning besides itself. */
export const literalPaths = "--literal-pathspecs";

/**
 * Settings that no repository can override, since they come from the command line: nothing that a configuration
 * file names is started. The user's own settings for reading objects stay as they are.
 */
export const hardening: readonly string[] = [
  "--no-pager",
  "--no-replace-objects",
  literalPaths,
  ...[
    // Which repository is meant is always said; the user may have forbidden git to find bare ones by itself.
    "safe.bareRepository=all",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.untrackedCache=keep",
    "protocol.allow=never",
    "protocol.file.allow=never",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "transfer.fsckObjects=true",
    "fetch.fsckObjects=true",
  ].flatMap((setting) => ["-c", setting]),
];

/** The user's variables that say where git and its settings are; all other ones of git's would redirect it. */
const kept = /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH)$/;

/** The caller's environment, without what leads git to another repository, and with what keeps it quiet. */
export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || kept.test(name));
  return {
    ...Object.fromEntries(own),
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
  };
}

/** For repositories that are ours: the user's settings are none of their business. */
export const ownRepository: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: "0",
};

/** For our scripts inside: nothing asks, nothing is fetched on the side. */
export const insideEnvironment = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_LFS_SKIP_SMUDGE: "1" };

/** For those that make a repository inside: the settings of whoever worked there before have no say in it. */
export const gitInside = { ...insideEnvironment, GIT_CONFIG_GLOBAL: "/dev/null" };
