import type { State } from "@opentiger/sandbox";
import { z } from "zod";
import {
  attachRequest,
  credentialsRequest,
  hostPortsRequest,
  learnQuery,
  networkChangeRequest,
  publishRequest,
  type SandboxdStatus,
  type SandboxUsage,
  sandboxdProtocol,
} from "../api.ts";
import type { EgressLog } from "../egress/log/egress-log.ts";
import { applyChange } from "../egress/policy/change.ts";
import { budgetLimits } from "../gateway/budgets/budget.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { proofRequest } from "../gateway/logins/proof.ts";
import { broker } from "./broker.ts";
import type { Daemon } from "./daemon.ts";
import type { HostRuns } from "./host-runs.ts";
import { learnedOf, networkEvents, networkRows } from "./network-log.ts";
import { type Asked, Lines, type Routes } from "./router.ts";
import { runRoutes } from "./run-routes.ts";

const nameOf = ({ parameters }: Asked): string => parameters["name"] ?? "";
const idOf = ({ parameters }: Asked): string => parameters["id"] ?? "";

export interface RouteParts {
  daemon: Daemon;
  state: State;
  gateway: Gateway;
  hostRuns: HostRuns;
  log: EgressLog;
  about: { version: string; stop: () => void };
}

/** Everything that can be asked of sandboxd. */
export function routes({ daemon, state, gateway, hostRuns, log, about }: RouteParts): Routes {
  const startedAt = new Date().toISOString();
  return {
    "GET /status": async (): Promise<SandboxdStatus> => ({
      protocol: sandboxdProtocol,
      version: about.version,
      pid: process.pid,
      startedAt,
      sandboxes: daemon.sandboxes.map(({ record, ports, trouble }) => ({
        id: record.id,
        name: record.name,
        policy: record.network.policy,
        connections: daemon.connections(record.id),
        ports,
        trouble,
      })),
      hostRuns: await hostRuns.live(),
    }),
    "POST /stop": () => about.stop(),
    "POST /attached/:id": (asked) => daemon.attach(idOf(asked), attachRequest.parse(asked.body).engine),
    "DELETE /attached/:id": (asked) => daemon.detach(idOf(asked)),
    "GET /sandboxes/:name/network": (asked) => daemon.find(nameOf(asked)).record.network,
    "POST /sandboxes/:name/network": (asked) =>
      daemon.changeNetwork(nameOf(asked), (settings) =>
        applyChange(settings, networkChangeRequest.parse(asked.body)),
      ),
    "POST /sandboxes/:name/host-ports": (asked) =>
      daemon.declareHostPorts(nameOf(asked), hostPortsRequest.parse(asked.body).ports),
    "GET /sandboxes/:name/learned": (asked) =>
      learnedOf(daemon, log, nameOf(asked), learnQuery.parse({ since: asked.query.get("since") }).since),
    "GET /network-log": ({ query }) => networkRows(daemon, log, query.get("sandbox") ?? undefined),
    "GET /network-log/follow": ({ query, signal }) =>
      new Lines(networkEvents(daemon, log, query.get("sandbox") ?? undefined, signal)),
    "POST /sandboxes/:name/credentials": (asked) => {
      const attached = daemon.find(nameOf(asked));
      gateway.keepKeys(attached.record.id, credentialsRequest.parse(asked.body).keys);
      return broker(state, gateway, attached);
    },
    "GET /sandboxes/:name/auth": (asked) => gateway.status(daemon.find(nameOf(asked)).record.id),
    "POST /sandboxes/:name/grant": async (asked) => {
      const attached = daemon.find(nameOf(asked));
      gateway.keepKeys(attached.record.id, credentialsRequest.parse(asked.body).keys);
      await gateway.grant({ sandboxId: attached.record.id, sandboxName: attached.record.name });
      return broker(state, gateway, attached);
    },
    "DELETE /sandboxes/:name/grant": (asked) => gateway.revoke(daemon.find(nameOf(asked)).record.id),
    "GET /sandboxes/:name/usage": (asked) => usage(daemon.find(nameOf(asked)).record.id),
    "POST /sandboxes/:name/budget": (asked) => {
      const { id } = daemon.find(nameOf(asked)).record;
      const limits = budgetLimits.parse(asked.body);
      gateway.setBudget({ kind: "sandbox", id }, Object.keys(limits).length > 0 ? limits : undefined);
      return usage(id);
    },
    "POST /logins/proof": ({ body, signal }) => gateway.prove(proofRequest.parse(body), signal),
    ...runRoutes(daemon, gateway, hostRuns),
    "GET /sandboxes/:name/ports": (asked) => daemon.ports(nameOf(asked)),
    "POST /sandboxes/:name/ports": (asked) => {
      const { inside, publish } = publishRequest.parse(asked.body);
      return daemon.publish(nameOf(asked), inside, publish);
    },
    "DELETE /sandboxes/:name/ports/:port": (asked) =>
      daemon.unpublish(nameOf(asked), z.coerce.number().parse(asked.parameters["port"])),
  };

  function usage(id: string): SandboxUsage {
    const scope = { kind: "sandbox", id } as const;
    return { totals: gateway.usage(scope), budget: gateway.budget(scope) ?? null };
  }
}
