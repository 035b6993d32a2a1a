import { checkLogin } from "@opentiger/agents";
import { agentKindOf, agentRoles } from "@opentiger/orchestrator";
import { type LoginStatus, loginAgents } from "@opentiger/schema";
import { type Check, type Finding, ok } from "./check.ts";

/** A CLI and an API have so long each. */
const loginMs = 45_000;

/** Of those that some role uses. It is proof where an API answers for nothing; no token is spent. */
export const loginsCheck: Check = {
  name: "logins",
  timeoutMs: loginMs,
  async look(ward) {
    const environment = await ward.setting("EXECUTION_ENVIRONMENT");
    if (environment === "sandbox" && !(await ward.reachable())) return [];
    const roles = await agentRoles((name) => ward.setting(name));
    const used = new Set(roles.map(({ agent }) => agent));
    const asked = loginAgents.filter((agent) => used.has(agentKindOf[agent]));
    if (asked.length === 0) return [ok("no role uses an agent that logs in")];
    const timeoutMs = loginMs - 5_000;
    return Promise.all(
      asked.map(async (agent) =>
        judge(await checkLogin(agent, environment, { env: ward.env, signal: ward.signal, timeoutMs })),
      ),
    );
  },
};

function judge({ agent, authenticated, method, problem }: LoginStatus): Finding {
  if (authenticated === true) return ok(`${agent} is logged in${method === null ? "" : ` (${method})`}`);
  const message = `${agent}: ${problem?.message ?? "it is not known whether it is logged in"}`;
  const remedy = problem?.remedy ?? `opentiger auth ${agent} --deep`;
  return { status: authenticated === false ? "fail" : "warn", message, remedy };
}
