import { collect, exitCode, openState, type Sandbox, stateFolder } from "@opentiger/sandbox";
import {
  type CredentialWay,
  grantCredentials,
  type SandboxAuthStatus,
  Sandboxd,
  sandboxAuth,
  withCredentials,
} from "@opentiger/sandboxd";
import type { Command } from "commander";
import { z } from "zod";
import { UsageError } from "../errors.ts";
import { renderTable } from "../output/table.ts";
import { chosenWay } from "../program/credentials.ts";
import { sandboxWay } from "../program/sandbox-way.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface AuthOptions extends VerbOptions {
  grant?: true;
  revoke?: true;
}

/** How each agent is asked whether it is logged in. It costs no tokens, and proves presence only. */
const questions: Readonly<Record<string, readonly string[]>> = {
  claude: ["claude", "auth", "status"],
  codex: ["codex", "login", "status"],
  opencode: ["opencode", "auth", "list"],
};

export function authCommand(surroundings: Surroundings): Command {
  return verb("auth", surroundings)
    .description("what the agent of a sandbox logs in with, and what the agent itself says")
    .argument("<sandbox>", "name")
    .option("--grant", "give it the use of this machine's credentials anew")
    .option("--revoke", "take it away: the next request fails")
    .addHelpText("after", examples(surroundings, "auth my-sandbox", "auth my-sandbox --revoke"))
    .action(async (name: string, options: AuthOptions) => {
      if (options.grant && options.revoke) throw new UsageError("--grant and --revoke are opposites");
      const sandboxd = new Sandboxd(surroundings.env);
      const path = `/sandboxes/${encodeURIComponent(name)}`;
      const asked = chosenWay(surroundings);
      if (options.revoke) await sandboxd.ask({ method: "DELETE", path: `${path}/grant` }, z.unknown());
      const sandbox = await (await backendOf(surroundings, options)).open(name);
      try {
        if (options.grant) await grantCredentials(sandboxd, sandbox, surroundings.env);
        const status = await sandboxd.ask({ method: "GET", path: `${path}/auth` }, sandboxAuth);
        const { mounts = [] } = openState(stateFolder(surroundings.env)).records.findByName(name) ?? {};
        const way = sandboxWay({ granted: status.granted, mounts, asked });
        const agent = await askAgent(sandbox, surroundings);
        if (options.json) return printJson(surroundings, { ...status, way, agent });
        surroundings.stdout.write(render(name, status, agent, way));
      } finally {
        await sandbox.close();
      }
    });
}

interface AgentWord {
  command: string;
  exitCode: number;
  said: string;
}

async function askAgent(sandbox: Sandbox, surroundings: Surroundings): Promise<AgentWord | null> {
  const command = questions[sandbox.agent];
  if (!command) return null;
  const env = await withCredentials(sandbox, {}, surroundings.env);
  const { exit, output } = await collect(await sandbox.exec(command, { env, timeoutMs: 30_000 }));
  return { command: command.join(" "), exitCode: exitCode(exit), said: output.toString().trim() };
}

const sentences: Readonly<Record<CredentialWay, string>> = {
  broker: "uses credentials of this machine through the gateway; inside it has placeholders only.",
  inject: "gets its credential with each command (SANDBOX_CREDENTIALS=inject).",
  mount: "has the logins of this machine that were mounted when it was made (SANDBOX_CREDENTIALS=mount).",
  none: "was given no credentials of this machine; its commands have what is handed to each of them.",
};

function render(
  name: string,
  status: SandboxAuthStatus,
  agent: AgentWord | null,
  way: CredentialWay,
): string {
  const lines = [`${name} ${sentences[way]}\n`];
  if (status.trouble) lines.push(`${status.trouble}\n`);
  if (status.credentials.length > 0) {
    const rows = status.credentials.map(({ provider, kind, origin, lease, quota, authFailed }) => [
      provider,
      kind,
      origin,
      lease ? `${lease.id} until ${lease.expiresAt}` : "-",
      (authFailed ? "refused by the API" : undefined) ?? (quota ? `quota until ${quota.until}` : "-"),
    ]);
    lines.push(renderTable([["API", "CREDENTIAL", "FROM", "LEASE", "TROUBLE"], ...rows]));
  }
  if (agent) lines.push(`\n$ ${agent.command}\n${agent.said}\n`);
  return lines.join("");
}
