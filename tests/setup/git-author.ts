import { fileURLToPath } from "node:url";

/** Settings of git's for tests in which somebody commits: a machine may have no name of its user's. */
export const gitAuthorFile = fileURLToPath(new URL("./git-author.gitconfig", import.meta.url));
