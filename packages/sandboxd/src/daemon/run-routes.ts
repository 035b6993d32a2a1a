import { hostRunRequest, loopId, runBinding, runId, type SandboxUsage } from "../api.ts";
import { budgetLimits } from "../gateway/budgets/budget.ts";
import type { Scope } from "../gateway/caller.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Daemon } from "./daemon.ts";
import type { HostRuns } from "./host-runs.ts";
import type { Asked, Routes } from "./router.ts";

/** Of one run there are rarely more than some hundred; the last ones tell how it ended. */
const mostRequests = 1_000;

/** What is asked about runs and loops: which sandbox works for which, what they used, what they may use. */
export function runRoutes(daemon: Daemon, gateway: Gateway, hostRuns: HostRuns): Routes {
  return {
    "POST /sandboxes/:name/run": (asked) => gateway.bindRun(sandboxOf(asked), runBinding.parse(asked.body)),
    "DELETE /sandboxes/:name/run": (asked) =>
      gateway.unbindRun(sandboxOf(asked), asked.query.get("run") ?? undefined),
    "POST /host-runs": (asked) => hostRuns.begin(hostRunRequest.parse(asked.body)),
    "DELETE /host-runs/:run": (asked) => hostRuns.end(runOf(asked).id),
    "GET /runs/:run/requests": (asked) => gateway.requests(runOf(asked), mostRequests),
    "GET /runs/:run/activity": (asked) => gateway.activity(runOf(asked).id),
    "GET /runs/:run/usage": (asked) => usage(runOf(asked)),
    "POST /runs/:run/budget": (asked) => limit(runOf(asked), asked),
    "GET /loops/:loop/usage": (asked) => usage(loopOf(asked)),
    "POST /loops/:loop/budget": (asked) => limit(loopOf(asked), asked),
    "GET /day/usage": () => usage(gateway.today()),
    "POST /day/budget": (asked) => limit(gateway.today(), asked),
  };

  function sandboxOf({ parameters }: Asked): string {
    return daemon.find(parameters["name"] ?? "").record.id;
  }

  function limit(scope: Scope, { body }: Asked): SandboxUsage {
    const limits = budgetLimits.parse(body);
    gateway.setBudget(scope, Object.keys(limits).length > 0 ? limits : undefined);
    return usage(scope);
  }

  function usage(scope: Scope): SandboxUsage {
    return { totals: gateway.usage(scope), budget: gateway.budget(scope) ?? null };
  }
}

function runOf({ parameters }: Asked): Scope {
  return { kind: "run", id: runId.parse(parameters["run"]) };
}

function loopOf({ parameters }: Asked): Scope {
  return { kind: "loop", id: loopId.parse(parameters["loop"]) };
}
