import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HostBackend, openState, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { AgentName } from "@opentiger/schema";
import { z } from "zod";
import {
  hostRunRequest,
  type NetworkLogRow,
  networkLogRow,
  runActivity,
  runRequests,
  sandboxUsage,
} from "../api.ts";
import type { BudgetLimits } from "../gateway/budgets/budget.ts";
import type { RequestRecord } from "../gateway/metering/record.ts";
import type { Totals } from "../gateway/metering/totals.ts";
import type { Sandboxd } from "./client.ts";
import type { CredentialWay } from "./credentials/way.ts";
import { beginHostRun } from "./host-run.ts";

/** One run as the gateway sees it. */
export interface GatewayRun {
  /** What the agent is to find in its environment. In a sandbox nothing: it is there already. */
  readonly env: Readonly<Record<string, string>>;
  /** On the host, the folder with the files that stand in place of a login; undefined where there are none. */
  readonly home: string | undefined;
  /** Its requests, the oldest first; of very many the last thousand. */
  requests(): Promise<RequestRecord[]>;
  usage(): Promise<Totals>;
  /** Bytes to and from its models: whether it is idle. */
  activity(): Promise<{ lastByteAt: string | null; inFlight: number }>;
  /** What its sandbox reached and what it was refused, beside the gateway. On the host nobody knows it. */
  network(): Promise<NetworkLogRow[]>;
  /** Without a limit, none. */
  setBudget(limits: BudgetLimits): Promise<void>;
  end(): Promise<void>;
}

export interface GatewayRunRequest {
  run: string;
  loop?: string | undefined;
  sandbox: Pick<Sandbox, "name" | "backend">;
  agent: AgentName;
  /**
   * On the host: where the agent's own files go, in place of those in HOME; conversations of Codex among them. It is the
   * caller's, and outlives the run. Without one there is a folder that goes with the run.
   */
  folder?: string | undefined;
  /** On the host only brokered agents go through the gateway; others have the user's own login. */
  way?: CredentialWay | undefined;
}

/**
 * From here on what the agent asks of its model counts for the run and its loop, and their budgets act. May be called
 * again for the same run, by who takes it over: what is counted goes on. A run in a sandbox ends with it, one on the
 * host with the supervisor that runs it.
 */
export async function beginGatewayRun(sandboxd: Sandboxd, about: GatewayRunRequest): Promise<GatewayRun> {
  const began = about.sandbox.backend === "host" ? beginOnHost : beginInSandbox;
  const { env, home, network, end } = await began(sandboxd, about);
  const path = `/runs/${encodeURIComponent(about.run)}`;
  const usage = async () =>
    (await sandboxd.ask({ method: "GET", path: `${path}/usage` }, sandboxUsage)).totals;
  return {
    env,
    home,
    requests: () => sandboxd.ask({ method: "GET", path: `${path}/requests` }, runRequests),
    usage,
    activity: () => sandboxd.ask({ method: "GET", path: `${path}/activity` }, runActivity),
    network,
    setBudget: async (limits) => {
      await sandboxd.ask({ method: "POST", path: `${path}/budget`, body: limits }, sandboxUsage);
    },
    end,
  };
}

type Begun = Pick<GatewayRun, "env" | "home" | "network" | "end">;

async function beginInSandbox(sandboxd: Sandboxd, { sandbox, run, loop }: GatewayRunRequest): Promise<Begun> {
  const path = `/sandboxes/${encodeURIComponent(sandbox.name)}/run`;
  await sandboxd.ask({ method: "POST", path, body: { run, loop } }, z.unknown());
  const end = async () => {
    const question = { method: "DELETE", path: `${path}?run=${encodeURIComponent(run)}` } as const;
    await sandboxd.ask(question, z.unknown()).catch(unlessGone);
  };
  const log = { method: "GET", path: `/network-log?sandbox=${encodeURIComponent(sandbox.name)}` } as const;
  const network = () => sandboxd.ask(log, z.array(networkLogRow));
  return { env: {}, home: undefined, network, end };
}

/** A sandbox that was removed first has taken its run with it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof SandboxError) || error.code !== "not_found") throw error;
}

async function beginOnHost(sandboxd: Sandboxd, about: GatewayRunRequest): Promise<Begun> {
  const { run, loop, sandbox, agent, way = "broker" } = about;
  const brokered = way === "broker" && hostRunRequest.shape.agent.safeParse(agent).success;
  const network = async () => [];
  if (!brokered) return { env: {}, home: undefined, network, end: async () => {} };
  const folder = about.folder ?? mkdtempSync(join(tmpdir(), "opentiger-run-"));
  const tidy = () => about.folder === undefined && rmSync(folder, { recursive: true, force: true });
  try {
    const host = { run, loop, name: sandbox.name, tool: agent, folder };
    const { given, env, end } = await beginHostRun(sandboxd, host, await keeperOf(sandboxd, sandbox.name));
    if (!given) tidy();
    return { env, home: given ? folder : undefined, network, end: () => end().finally(tidy) };
  } catch (error) {
    tidy();
    throw error;
  }
}

const supervised = z.object({ supervisor: z.object({ pid: z.number().int().positive() }) });

/** Whose life the run's is: the supervisor's, which goes on when we are killed; ours where there is none. */
async function keeperOf({ paths }: Sandboxd, name: string): Promise<number> {
  const backend = new HostBackend(openState(dirname(paths.folder)));
  const inspected = await backend.inspect(name).catch(() => undefined);
  return supervised.safeParse(inspected).data?.supervisor.pid ?? process.pid;
}
