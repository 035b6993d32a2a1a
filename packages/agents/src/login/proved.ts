import { SandboxError } from "@opentiger/sandbox";
import { type LoginAsked, type LoginProof, proveLogin, Sandboxd } from "@opentiger/sandboxd";
import type { LoginProblemCode } from "@opentiger/schema";
import type { Finding, Look } from "./look.ts";
import { loginProblem } from "./problems.ts";

/** What is known after the API was asked; undefined where there was nothing to ask with. */
export type Proved = Pick<Finding, "authenticated" | "method" | "problem"> | undefined;

/** Lets sandboxd ask the model's API with the agent's credential. */
export async function askForProof(look: Look, asked: Omit<LoginAsked, "env">): Promise<Proved> {
  look.waiting = "api";
  try {
    const proof = await proveLogin(new Sandboxd(look.env), { ...asked, env: look.env }, look.signal);
    return provedBy(proof);
  } catch (error) {
    look.signal.throwIfAborted();
    const { message, remedy } =
      error instanceof SandboxError ? error : { message: String(error), remedy: undefined };
    return { authenticated: null, method: null, problem: loginProblem("unknown", message, remedy) };
  }
}

/** What each outcome says about a login: true only for one that was answered. */
const meanings = {
  proved: { authenticated: true, code: null },
  rejected: { authenticated: false, code: "auth_rejected" },
  expired: { authenticated: false, code: "auth_expired" },
  unreadable: { authenticated: null, code: "credentials_unreadable" },
  unreachable: { authenticated: null, code: "network" },
  timeout: { authenticated: null, code: "timeout" },
  unverified: { authenticated: null, code: "unverified" },
} as const satisfies Record<
  Exclude<LoginProof["outcome"], "absent">,
  { authenticated: boolean | null; code: LoginProblemCode | null }
>;

export function provedBy({ outcome, kind, origin, message, remedy }: LoginProof): Proved {
  if (outcome === "absent") return undefined;
  const { authenticated, code } = meanings[outcome];
  if (code === null) return { authenticated, method: kind, problem: null };
  const from =
    origin === null || message.includes(origin) ? "" : ` It was asked with the credential of ${origin}.`;
  return { authenticated, method: kind, problem: loginProblem(code, `${message}${from}`, remedy) };
}
