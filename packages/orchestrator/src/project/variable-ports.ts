import { rewriteLoopback } from "@opentiger/sandbox";
import type { Project } from "@opentiger/schema";

/** A port of this machine to which variables of the project lead. */
export interface VariablePort {
  /** `localhost:PORT`. */
  rule: string;
  names: string[];
}

/** Those of the repository's file, but for ports that are open anyway. What the user handed over is the user's word. */
export function variablePorts(
  { env = {}, sources }: Pick<Project, "sources"> & Partial<Pick<Project, "env">>,
  open: readonly string[],
): VariablePort[] {
  if (sources.env !== "file") return [];
  const names = new Map<string, string[]>();
  for (const [name, value] of Object.entries(env)) {
    for (const port of rewriteLoopback({ [name]: value }).hostPorts) {
      const rule = `localhost:${port}`;
      names.set(rule, [...(names.get(rule) ?? []), name]);
    }
  }
  return [...names].filter(([rule]) => !open.includes(rule)).map(([rule, by]) => ({ rule, names: by }));
}
