import { OrchestratorError } from "@opentiger/orchestrator";
import { ServerClient } from "@opentiger/server/control";
import type { Command } from "commander";
import { type LoopVerbOptions, loopExamples, loopVerb } from "../loop/place.ts";
import { age } from "../output/age.ts";
import { type Colours, coloursFor } from "../output/colours.ts";
import { renderTable } from "../output/table.ts";
import { exits } from "../program/exits.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { stages } from "../server/take-down.ts";
import { type WhatRuns, whatRuns } from "../server/what-runs.ts";

interface StatusOptions extends LoopVerbOptions {
  login?: true;
}

export function statusCommand(surroundings: Surroundings): Command {
  return loopVerb("status", surroundings)
    .description("what of openTiger runs, and where; ends with 1 where the server does not")
    .option("--login", "make a new link with which a browser logs in, once")
    .addHelpText("after", loopExamples("status", "status --json", "status --login"))
    .action(async ({ json, login }: StatusOptions) => {
      if (login) return tellLink(json, surroundings);
      const found = await whatRuns(surroundings.env);
      if (json) printJson(surroundings, { running: found.server?.ready === true, ...asJson(found) });
      else surroundings.stdout.write(render(found, surroundings));
      if (!found.server?.ready) surroundings.exitWith(exits.negative);
    });
}

async function tellLink(json: true | undefined, surroundings: Surroundings): Promise<void> {
  const link = await new ServerClient(surroundings.env).loginLink();
  if (!link) throw new OrchestratorError("not_found", "the server does not run", { remedy: "opentiger up" });
  if (json) return printJson(surroundings, link);
  surroundings.stdout.write(`${link.url}\n`);
}

function asJson({ server, processes, sandboxd, database, loops }: WhatRuns) {
  return {
    server: server ?? null,
    processes,
    sandboxd: sandboxd ?? null,
    database,
    loops: loops ?? null,
  };
}

function render(found: WhatRuns, surroundings: Surroundings): string {
  const { stdout, env, now } = surroundings;
  const colours = coloursFor(stdout, env);
  const since = (startedAt: string) => age(new Date(startedAt), now());
  const off = colours.dim("does not run");
  const { server, processes, sandboxd, database, loops } = found;
  const rows = [
    server
      ? ["server", server.url ?? colours.yellow("starting"), `${server.pid}`, since(server.startedAt)]
      : ["server", off, "", ""],
    ...processes.map(({ name, working, pid, startedAt }) => [
      name,
      working === 0 ? "idle" : `works on ${stages(working)}`,
      `${pid}`,
      since(startedAt),
    ]),
    ...(processes.length === 0 ? [["dispatcher", off, "", ""]] : []),
    sandboxd
      ? ["sandboxd", sandboxes(sandboxd.sandboxes.length), `${sandboxd.pid}`, since(sandboxd.startedAt)]
      : ["sandboxd", off, "", ""],
    databaseRow(database, colours),
    ["loops", loops === undefined ? colours.dim("unknown until it runs") : loopsText(loops), "", ""],
  ];
  const table = renderTable([["WHAT", "HOW", "PROCESS", "FOR"], ...rows]);
  return server ? table : `${table}${colours.cyan("→")} opentiger up\n`;
}

function databaseRow(database: WhatRuns["database"], colours: Colours): string[] {
  switch (database.state) {
    case "running":
      return ["database", database.ready ? "embedded" : colours.yellow("starting"), `${database.pid}`, ""];
    case "url":
      return ["database", database.where || "OPENTIGER_DATABASE_URL", "", ""];
    default:
      return ["database", colours.dim(database.state === "none" ? "not made yet" : "does not run"), "", ""];
  }
}

function loopsText(loops: NonNullable<WhatRuns["loops"]>): string {
  const parts = Object.entries(loops).map(([status, count]) => `${count} ${status.replaceAll("_", " ")}`);
  return parts.join(", ") || "none are open";
}

function sandboxes(count: number): string {
  return count === 1 ? "1 sandbox" : `${count} sandboxes`;
}
