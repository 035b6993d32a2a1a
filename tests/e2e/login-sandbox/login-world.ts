import { checkLogin, type LoginCheckOptions } from "@opentiger/agents";
import { openState } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { type LoginAgent, type LoginStatus, loginStatus } from "@opentiger/schema";
import { openVault, type Vault } from "@opentiger/secrets";
import { atEnd } from "../../setup/at-end.ts";
import { docker } from "../../setup/docker.ts";
import { type LoginApi, loginApi } from "../../setup/login-api.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";

/** Held up for longer than this, something waited for a socket and let nobody else go on. */
export const noticeableMs = 1_000;

/** An openTiger of a user's who logs in to models of the test's. */
export interface LoginWorld {
  api: LoginApi;
  home: string;
  vault: Vault;
  sandboxd: Sandboxd;
  /** Their environment, with these variables. */
  user(variables?: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
  /** New ones: the API takes the first and refuses the second. */
  credentials(): { good: string; garbage: string };
  emptyVault(): Promise<void>;
}

export async function loginWorld(): Promise<LoginWorld> {
  const api = await loginApi();
  const home = temporaryFolder("ot-");
  const { PATH, DOCKER_HOST, SANDBOX_DOCKER_IMAGE } = process.env;
  const own = { PATH, DOCKER_HOST, SANDBOX_DOCKER_IMAGE, HOME: home, OPENTIGER_HOME: home, ...api.env };
  const vault = openVault({ stateFolder: home, env: own, program: "test" });
  const sandboxd = new Sandboxd(own);
  // Its own environment has no credential: the first who asks would otherwise leave theirs there.
  await sandboxd.ensure();
  atEnd(() => sandboxd.stop());
  let number = 0;
  return {
    api,
    home,
    vault,
    sandboxd,
    user: (variables = {}) => ({ ...own, ...variables }),
    credentials: () => {
      number += 1;
      const good = `sk-good-credential-${number}-0123456789`;
      api.good.add(good);
      return { good, garbage: `sk-garbage-credential-${number}-0123456789` };
    },
    emptyVault: async () => {
      for (const { name } of await vault.list()) await vault.delete(name);
    },
  };
}

/** A check that is given again in the form of the API: what cannot be said there would be lost. */
export async function check(
  agent: LoginAgent,
  env: NodeJS.ProcessEnv,
  options: LoginCheckOptions = {},
): Promise<LoginStatus> {
  return loginStatus.parse(await checkLogin(agent, "sandbox", { env, ...options }));
}

/** Containers that the instance of this state folder made to look into an image. */
export async function containersLeft(home: string): Promise<string[]> {
  const { instance } = openState(home);
  const names = await docker(
    "ps",
    "--all",
    "--filter",
    `label=opentiger.instance=${instance}`,
    "--format",
    "{{.Names}}",
  );
  return names.split("\n").filter((name) => name.startsWith("opentiger-look"));
}
