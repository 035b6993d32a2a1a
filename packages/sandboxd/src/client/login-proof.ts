import { type LoginProof, loginProof } from "../gateway/logins/proof.ts";
import type { Sandboxd } from "./client.ts";
import { type LoginAsked, loginQuestion } from "./credentials/login-places.ts";

/**
 * Whether an agent's login is good, by what its API says to it. sandboxd asks, which holds the credentials; an agent's
 * request that was answered in the last hours is as good as a question, and none of them costs a token.
 */
export function proveLogin(sandboxd: Sandboxd, asked: LoginAsked, signal: AbortSignal): Promise<LoginProof> {
  const body = loginQuestion(asked);
  return sandboxd.ask({ method: "POST", path: "/logins/proof", body, signal }, loginProof);
}
