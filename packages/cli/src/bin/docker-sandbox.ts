import { ownNames } from "@opentiger/sandbox/exec-client";
import { Command } from "commander";
import { reportError } from "../output/error-report.ts";
import { restoreCertificates } from "../plugin/certificates.ts";
import { readPluginCall } from "../plugin/docker-arguments.ts";
import { pluginMetadata } from "../plugin/metadata.ts";
import { runProgram } from "../program/main.ts";
import { endProcess, processSurroundings } from "../program/process-surroundings.ts";
import { withSandboxVerbs } from "../program/sandbox-verbs.ts";

/** `docker sandbox …`, as docker starts it: `docker-sandbox [FLAGS] sandbox …`. */
async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === "docker-cli-plugin-metadata")
    return void process.stdout.write(`${JSON.stringify(pluginMetadata)}\n`);
  restoreCertificates(process.env);
  const { words, context, env } = readPluginCall(argv);
  Object.assign(process.env, env);
  const surroundings = processSurroundings({
    invocation: "docker sandbox",
    words,
    env: process.env,
    context,
  });
  const root = await withSandboxVerbs(new Command("docker sandbox"), surroundings, words[0]);
  await runProgram({ root, words, surroundings, sandboxNames: () => ownNames(process.env) });
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  const audience = {
    stderr: process.stderr,
    env: process.env,
    program: "docker sandbox",
    format: "text" as const,
  };
  process.exitCode = reportError(error, audience);
});
await endProcess();
