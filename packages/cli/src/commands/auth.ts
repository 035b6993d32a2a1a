import { collect, exitCode, type Sandbox } from "@opentiger/sandbox";
import {
  type CredentialWay,
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
      if (options.grant) await sandboxd.ask({ method: "POST", path: `${path}/grant` }, z.unknown());
      if (options.revoke) await sandboxd.ask({ method: "DELETE", path: `${path}/grant` }, z.unknown());
      const status = await sandboxd.ask({ method: "GET", path: `${path}/auth` }, sandboxAuth);
      const sandbox = await (await backendOf(surroundings, options)).open(name);
      try {
        const agent = await askAgent(sandbox, surroundings);
        if (options.json) return printJson(surroundings, { ...status, way: chosenWay(surroundings), agent });
        surroundings.stdout.write(render(name, status, agent, chosenWay(surroundings)));
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

/** What is said of a sandbox that does not go through the gateway. */
const otherwise: Readonly<Record<CredentialWay, string>> = {
  broker: "was given no credentials of this machine.",
  inject: "gets its credential with each command (SANDBOX_CREDENTIALS=inject).",
  mount: "has the logins of this machine that were mounted when it was made (SANDBOX_CREDENTIALS=mount).",
  none: "was given no credentials of this machine (SANDBOX_CREDENTIALS=none).",
};

function render(
  name: string,
  status: SandboxAuthStatus,
  agent: AgentWord | null,
  way: CredentialWay,
): string {
  const lines: string[] = [];
  lines.push(
    status.granted
      ? `${name} uses credentials of this machine through the gateway; inside it has placeholders only.\n`
      : `${name} ${otherwise[way]}\n`,
  );
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
