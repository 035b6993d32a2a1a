import { credentialWay, credentialWays } from "@opentiger/sandboxd";
import { anySignal, type ExecutionEnvironment, type LoginAgent, type LoginStatus } from "@opentiger/schema";
import { abortReason } from "./abort-reason.ts";
import { lookDeep } from "./deep-login.ts";
import { Flights } from "./flights.ts";
import { lookOnHost } from "./host-login.ts";
import { type Finding, Look } from "./look.ts";
import { loginProblem } from "./problems.ts";
import { lookInSandbox } from "./sandbox-login.ts";

/** Pages and loops ask often; what they see is at most so old. */
const keptMs = 10_000;

/** A CLI on a loaded machine takes seconds to say its version, and an API seconds to answer. */
const usualTimeoutMs = 30_000;

/** A sandbox is made, an agent is started, a model thinks. */
const deepTimeoutMs = 180_000;

export interface LoginCheckOptions {
  /** Default: the process's own. */
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** When it is up, what is known by then is the answer. */
  timeoutMs?: number;
  /** One tiny prompt through the real CLI. It costs a few tokens, so it is never done unasked. */
  deep?: boolean;
}

/**
 * Whether an agent could be used there. It is cheap: no tokens, an answer that is some seconds old is given again, and
 * all who ask at the same time wait for one look. It never blocks, ends in time, and leaves no process and no container.
 * Only the signal makes it reject.
 */
export function checkLogin(
  agent: LoginAgent,
  environment: ExecutionEnvironment,
  { env = process.env, signal, deep = false, timeoutMs }: LoginCheckOptions = {},
): Promise<LoginStatus> {
  const key = [agent, environment, deep, env["SANDBOX_CREDENTIALS"]].join(" ");
  const limit = timeoutMs ?? (deep ? deepTimeoutMs : usualTimeoutMs);
  const find = (given: AbortSignal) => lookWithin({ agent, environment, env, deep, limit, given });
  return flightsOf(env).ask(key, find, signal);
}

/** An environment is a user: another one has other logins. */
const all = new WeakMap<NodeJS.ProcessEnv, Flights<LoginStatus>>();

function flightsOf(env: NodeJS.ProcessEnv): Flights<LoginStatus> {
  const flights = all.get(env) ?? new Flights<LoginStatus>(keptMs);
  all.set(env, flights);
  return flights;
}

interface Question {
  agent: LoginAgent;
  environment: ExecutionEnvironment;
  env: NodeJS.ProcessEnv;
  deep: boolean;
  limit: number;
  /** Aborted when nobody wants to know any more. */
  given: AbortSignal;
}

async function lookWithin({ agent, environment, env, deep, limit, given }: Question): Promise<LoginStatus> {
  const checkedAt = new Date().toISOString();
  const time = AbortSignal.timeout(limit);
  const look = new Look(env, anySignal([given, time]));
  const finding = await Promise.race([find(agent, environment, deep, look), aborted(look.signal)]).catch(
    (error: unknown) => {
      if (given.aborted) throw abortReason(given);
      if (time.aborted) return look.timeUp(limit / 1000);
      const message = error instanceof Error ? error.message : String(error);
      return look.found({ problem: loginProblem("unknown", message) });
    },
  );
  return { agent, executionEnvironment: environment, checkedAt, ...finding };
}

async function find(
  agent: LoginAgent,
  environment: ExecutionEnvironment,
  deep: boolean,
  look: Look,
): Promise<Finding> {
  const way = credentialWay(look.env);
  if (!way) return look.found({ problem: noWay(look.env) });
  const cheap = await (environment === "host" ? lookOnHost : lookInSandbox)(agent, way, look);
  return deep && worthAsking(cheap) ? lookDeep({ agent, environment, way }, look, cheap) : cheap;
}

/** Whoever has no CLI, or nothing to log in with, cannot ask a model. */
function worthAsking({ available, authenticated, problem }: Finding): boolean {
  return available && (authenticated !== false || problem?.code !== "auth_required");
}

function noWay(env: NodeJS.ProcessEnv) {
  const message = `SANDBOX_CREDENTIALS=${env["SANDBOX_CREDENTIALS"]} is not a way`;
  return loginProblem("unknown", message, `use one of ${credentialWays.join(", ")}`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(abortReason(signal)), { once: true });
    if (signal.aborted) reject(abortReason(signal));
  });
}
