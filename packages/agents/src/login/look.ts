import type { LoginProblemCode, LoginStatus } from "@opentiger/schema";
import { loginProblem } from "./problems.ts";

/** What is found out about a login, bit by bit. */
export type Finding = Pick<LoginStatus, "available" | "authenticated" | "method" | "version" | "problem">;

/** Who is waited for at present, and what it means when they take too long. */
export const waitingFor = {
  engine: { code: "docker_timeout", who: "the Docker engine" },
  cli: { code: "timeout", who: "the agent's CLI" },
  api: { code: "timeout", who: "the model's API" },
  agent: { code: "timeout", who: "the agent" },
} as const satisfies Record<string, { code: LoginProblemCode; who: string }>;

/** One look at a login, with an end: what is known when the time is up is told. */
export class Look {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  version: string | null = null;
  available = false;
  waiting: keyof typeof waitingFor = "cli";

  constructor(env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.env = env;
    this.signal = signal;
  }

  found(rest: Partial<Pick<Finding, "authenticated" | "method" | "problem">>): Finding {
    const { available, version } = this;
    return { available, version, authenticated: null, method: null, problem: null, ...rest };
  }

  timeUp(seconds: number): Finding {
    const { code, who } = waitingFor[this.waiting];
    return this.found({ problem: loginProblem(code, `${who} did not answer within ${seconds} seconds`) });
  }
}
