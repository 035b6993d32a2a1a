import { SandboxError } from "../../../errors.ts";
import type { Limits } from "../../../sandbox.ts";
import type { EngineFacts } from "../engine/facts.ts";

const gib = 1024 ** 3;
const mib = 1024 ** 2;

/** Enough for an agent, its language server and a build; a runaway one still leaves the machine alive. */
const usual: Limits = { memoryBytes: 4 * gib, cpus: 4, pids: 2048, fileBytes: 20 * gib };

/** Below these nothing starts, and the engine's own answer would not say why. */
const least = { memoryBytes: 128 * mib, cpus: 0.1, pids: 32, fileBytes: mib };

export type WantedLimits = { [name in keyof Limits]?: number | undefined };

/** What was asked for, and for the rest the usual, within what the machine has. */
export function decideLimits(wanted: WantedLimits, facts: EngineFacts): Limits {
  const cpus = Math.max(facts.cpus, 1);
  const limits = {
    ...usual,
    memoryBytes: Math.min(
      usual.memoryBytes,
      Math.max(Math.floor(facts.memoryBytes * 0.75), least.memoryBytes),
    ),
    cpus: Math.min(usual.cpus, cpus),
    ...given(wanted),
  };
  for (const name of ["memoryBytes", "cpus", "pids", "fileBytes"] as const) {
    if (!Number.isFinite(limits[name]) || limits[name] < least[name]) throw tooSmall(name, limits[name]);
  }
  if (limits.cpus > cpus) {
    throw new SandboxError("usage", `${limits.cpus} cpus were asked for, and the engine has ${cpus}`, {
      remedy: `ask for at most ${cpus}`,
    });
  }
  return limits;
}

function given(wanted: WantedLimits): Partial<Limits> {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

function tooSmall(name: keyof Limits, value: number): SandboxError {
  return new SandboxError("usage", `a limit of ${value} for ${name} is too small for a sandbox`, {
    remedy: `ask for at least ${least[name]}`,
  });
}
