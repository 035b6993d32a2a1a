import { type CreateOptions, openState, type Sandbox, stateFolder } from "@opentiger/sandbox";
import { type BrokeredSandbox, brokeredSandbox } from "../../api.ts";
import { Sandboxd } from "../client.ts";
import { callerKeys } from "./caller-keys.ts";
import { injectedVariables } from "./inject.ts";
import { loginMounts, seedLogins } from "./mount.ts";
import { type CredentialWay, credentialWay } from "./way.ts";

type Receiver = Pick<Sandbox, "name" | "agent" | "backend" | "exec">;

/** What came of it. */
export interface GivenCredentials {
  /** false where there is none for its agent: it has to log in by itself. */
  given: boolean;
  /** Why it is not known what there is. */
  trouble: string | null;
}

/** What a sandbox has to be made with, so that it can be given credentials in this way. */
export function creationCredentials(
  way: CredentialWay,
  env: NodeJS.ProcessEnv,
): Pick<CreateOptions, "mounts" | "env"> {
  return way === "mount" ? loginMounts(env) : {};
}

/** Gives a new sandbox the use of this machine's credentials. */
export async function giveCredentials(
  sandbox: Receiver,
  way: CredentialWay,
  env: NodeJS.ProcessEnv,
): Promise<GivenCredentials> {
  if (sandbox.backend === "host" || way === "none") return { given: true, trouble: null };
  if (way === "broker") return brokerCredentials(new Sandboxd(env), sandbox, env);
  if (way === "inject") {
    const { origins } = await injectedVariables(sandbox, {}, env);
    return { given: origins.length > 0, trouble: null };
  }
  const loggedIn = await seedLogins(sandbox, recordOf(sandbox, env)?.mounts ?? []);
  const keys = callerKeys(sandbox.agent, loggedIn, { env, given: {} });
  return { given: loggedIn.includes(sandbox.agent) || Object.keys(keys).length > 0, trouble: null };
}

/**
 * The environment of a command in a sandbox, with what its agent logs in with. What the user or the sandbox's maker
 * set stands. In a sandbox with mounted logins, whatever the way is now, it is made sure that they are still there: a
 * restart empties memory.
 */
export async function withCredentials(
  sandbox: Receiver,
  given: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const way = credentialWay(env);
  if (sandbox.backend === "host") return { ...given };
  const { env: own = {}, mounts = [] } = recordOf(sandbox, env) ?? {};
  if (way === "inject") {
    return { ...(await injectedVariables(sandbox, { ...own, ...given }, env)).env, ...given };
  }
  const loggedIn = await seedLogins(sandbox, mounts);
  if (way !== "mount") return { ...given };
  return { ...callerKeys(sandbox.agent, loggedIn, { env, given: { ...own, ...given } }), ...given };
}

/** Lets a sandbox use this machine's credentials, and the caller's keys, through the gateway; inside are placeholders. */
export function brokerCredentials(
  sandboxd: Sandboxd,
  { name, agent }: Pick<Sandbox, "name" | "agent">,
  env: NodeJS.ProcessEnv,
): Promise<BrokeredSandbox> {
  return askBroker(sandboxd, "credentials", { name, agent, env });
}

/** The same anew, whatever it had: also after it was taken away. */
export function grantCredentials(
  sandboxd: Sandboxd,
  { name, agent }: Pick<Sandbox, "name" | "agent">,
  env: NodeJS.ProcessEnv,
): Promise<BrokeredSandbox> {
  return askBroker(sandboxd, "grant", { name, agent, env });
}

function askBroker(
  sandboxd: Sandboxd,
  what: "credentials" | "grant",
  { name, agent, env }: { name: string; agent: string; env: NodeJS.ProcessEnv },
): Promise<BrokeredSandbox> {
  const path = `/sandboxes/${encodeURIComponent(name)}/${what}`;
  const body = { keys: callerKeys(agent, [], { env, given: {} }) };
  return sandboxd.ask({ method: "POST", path, body }, brokeredSandbox);
}

function recordOf({ name }: Receiver, env: NodeJS.ProcessEnv) {
  return openState(stateFolder(env)).records.findByName(name);
}
