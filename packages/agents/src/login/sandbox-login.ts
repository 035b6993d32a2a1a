import { findAgentCli, SandboxError } from "@opentiger/sandbox";
import { type CredentialWay, loginRemedy } from "@opentiger/sandboxd";
import type { ErrorCode, LoginAgent, LoginProblemCode } from "@opentiger/schema";
import type { Finding, Look } from "./look.ts";
import { loginProblem } from "./problems.ts";
import { askForProof } from "./proved.ts";

/** Contract A8. What is not here is unknown. */
const engineProblems: Partial<Record<ErrorCode, LoginProblemCode>> = {
  engine_unavailable: "docker_unavailable",
  usage: "docker_unavailable",
  unsupported: "docker_unavailable",
  engine_permission: "docker_permission",
  image_missing: "image_missing",
  image_name_invalid: "image_missing",
  cli_missing: "cli_missing",
};

/** Whether a sandbox could be made with the agent's CLI in it, and whether what it would be given is good. */
export async function lookInSandbox(agent: LoginAgent, way: CredentialWay, look: Look): Promise<Finding> {
  look.waiting = "engine";
  try {
    look.version = (await findAgentCli({ agent, env: look.env, signal: look.signal })).version;
  } catch (error) {
    look.signal.throwIfAborted();
    return look.found({ problem: engineProblem(error) });
  }
  look.available = true;
  if (way === "none") {
    const message = "sandboxes are handed no login (SANDBOX_CREDENTIALS=none)";
    const remedy = "log in inside, hand it a variable with `exec -e NAME`, or use SANDBOX_CREDENTIALS=broker";
    return look.found({ problem: loginProblem("unverified", message, remedy) });
  }
  const proved = await askForProof(look, { agent, place: "sandbox", way });
  if (proved) return look.found(proved);
  const message = `${agent} has nothing to log in with in a sandbox`;
  const problem = loginProblem("auth_required", message, loginRemedy(agent, way, "sandbox"));
  return look.found({ authenticated: false, problem });
}

function engineProblem(error: unknown) {
  if (!(error instanceof SandboxError)) return loginProblem("unknown", String(error));
  const { code, message, remedy } = error;
  return loginProblem(engineProblems[code] ?? "unknown", message, remedy);
}
