import type { NetworkSettings } from "@opentiger/schema";
import type { Surroundings } from "../program/surroundings.ts";
import { coloursFor } from "./colours.ts";

const meaning = {
  open: "OPEN: attached to a network of the engine, nothing is checked",
  allow: "allow: every public host; private addresses are blocked",
  balanced: "balanced: models, package registries, git hosts and OS archives",
  deny: "deny: only what is listed",
} as const;

const lists = [
  ["allowHosts", "allow"],
  ["allowCidrs", "allow"],
  ["blockHosts", "block"],
  ["blockCidrs", "block"],
  ["bypassHosts", "bypass"],
  ["bypassCidrs", "bypass"],
] as const;

/** The rules of one sandbox, for a person. */
export function renderNetwork(
  name: string,
  settings: NetworkSettings,
  { stdout, env }: Pick<Surroundings, "stdout" | "env">,
): string {
  const colours = coloursFor(stdout, env);
  const policy = meaning[settings.policy];
  const lines = [
    `${colours.bold(name)}: policy ${settings.policy === "open" ? colours.red(policy) : policy}`,
    ...lists.flatMap(([key, word]) => settings[key].map((rule) => `  ${word.padEnd(6)} ${rule}`)),
    ...settings.hostPorts.map((port) => `  allow  localhost:${port} (as host.docker.internal:${port})`),
  ];
  return `${lines.join("\n")}\n`;
}
