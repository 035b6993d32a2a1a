import { type CredentialWay, loginRemedy } from "@opentiger/sandboxd";
import type { LoginAgent } from "@opentiger/schema";
import { findCli, hostClis, ownWord, versionOf } from "./host-cli.ts";
import type { Finding, Look } from "./look.ts";
import { loginProblem } from "./problems.ts";
import { askForProof } from "./proved.ts";

/**
 * What an agent on the host would log in with: brokered, what the gateway has for it; else, and where the gateway has
 * nothing, what its CLI finds by itself.
 */
export async function lookOnHost(agent: LoginAgent, way: CredentialWay, look: Look): Promise<Finding> {
  const { binary, install } = hostClis[agent];
  const path = await findCli(agent, look);
  if (path === undefined)
    return look.found({ problem: loginProblem("cli_missing", `there is no ${binary} in PATH`, install) });
  const version = await versionOf(path, look);
  if (version === undefined)
    return look.found({ problem: loginProblem("cli_missing", `${path} does not start`, install) });
  look.available = true;
  look.version = version;
  const proved =
    (way === "broker" ? await askForProof(look, { agent, place: "host", way }) : undefined) ??
    (await askForProof(look, { agent, place: "host", way: "none" }));
  if (proved) return look.found(proved);
  look.waiting = "cli";
  const own = await ownWord(agent, path, look);
  if (own.present) {
    const message = `${binary} says that it is logged in (${own.method}), which any token would make it say`;
    return look.found({ method: own.method, problem: loginProblem("unverified", message) });
  }
  const remedy = loginRemedy(agent, way, "host");
  return look.found({
    authenticated: false,
    problem: loginProblem("auth_required", `${agent} has nothing to log in with on this machine`, remedy),
  });
}
