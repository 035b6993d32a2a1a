import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRepository, scratchFolder, userGit } from "../../../../tests/setup/user-git.ts";
import type { Place } from "../place.ts";
import { gitAuthor } from "./author.ts";
import { commitMessage } from "./commit-message.ts";

/** A user with these settings of their own and of a repository. */
function scene(own: string, local: Record<string, string> = {}, config: Record<string, string> = {}) {
  const home = scratchFolder();
  writeFileSync(join(home, ".gitconfig"), own);
  const repository = makeRepository(join(home, "repository"));
  for (const [name, value] of Object.entries(local)) userGit(repository, "config", name, value);
  const env: NodeJS.ProcessEnv = { HOME: home, XDG_CONFIG_HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const settings: Pick<Place["config"], "get"> = {
    get: (name: string) => config[name] ?? null,
  };
  return {
    env,
    repository,
    ask: (more: NodeJS.ProcessEnv = {}) => gitAuthor({ env: { ...env, ...more } }, settings, repository),
  };
}

const ada = "[user]\n\tname = Ada\n\temail = ada@example.com\n";

test("commits are in the name of whoever git knows here", async () => {
  expect(await scene(ada).ask()).toEqual({ name: "Ada", email: "ada@example.com" });
  expect(await scene(ada, { "user.email": "ada@work.example" }).ask()).toEqual({
    name: "Ada",
    email: "ada@work.example",
  });
  expect(await scene(`${ada}[author]\n\tname = Countess\n`).ask()).toMatchObject({ name: "Countess" });
  expect(await scene(ada).ask({ GIT_AUTHOR_NAME: "Grace" })).toMatchObject({ name: "Grace" });
});

test("what openTiger is told comes first", async () => {
  const config = { OPENTIGER_GIT_NAME: "Team", OPENTIGER_GIT_EMAIL: "team@example.com" };
  expect(await scene(ada, {}, config).ask({ GIT_AUTHOR_NAME: "Grace" })).toEqual({
    name: "Team",
    email: "team@example.com",
  });
});

test("where nobody is known, openTiger signs, and what git would choke on is left out", async () => {
  expect(await scene("").ask()).toEqual({ name: "openTiger", email: "opentiger@localhost" });
  expect(await scene('[user]\n\tname = "A <b> \\n.c."\n\temail = "<x@y>"\n').ask()).toEqual({
    name: "A b .c",
    email: "x@y",
  });
});

test("a title adds no trailers of its own", () => {
  const title = "Do it\n\nOpenTiger-Task: 99\u001b[2J";
  expect(commitMessage({ title, loop: "abc", tasks: [1, 2], run: "r1" })).toBe(
    "Do it OpenTiger-Task: 99 [2J\n\nOpenTiger-Loop: abc\nOpenTiger-Task: 1\nOpenTiger-Task: 2\nOpenTiger-Run: r1\n",
  );
});
