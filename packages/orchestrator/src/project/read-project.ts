import { applyChange } from "@opentiger/sandboxd";
import {
  defaultNetworkSettings,
  type NetworkPhase,
  networkPhases,
  type Project,
  type ProjectFile,
  projectFile,
  projectFileName,
} from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { unfoldedBraces } from "../git/braces.ts";
import type { LoopRepository } from "../git/repository.ts";
import { checkPrograms, namedFiles } from "./check-programs.ts";
import { goModules } from "./control-paths.ts";
import { dependencyLists } from "./dependency-lists.ts";
import { type Detected, detectProject } from "./detect/detect-project.ts";
import type { ReadFile } from "./detect/project-files.ts";

/** A file of settings that somebody wrote is not larger. */
const maxBytes = 1024 * 1024;

/** What one task may change, unless the file says otherwise: more than a person would want to read at once. */
const usualLimits = { changedFiles: 200, changedBytes: 2_000_000, binaries: "refused" } as const;

/**
 * What holds for a project at this commit: flags before its file before what is detected. Only commits are looked at:
 * what an agent, or the user, left in a working tree has no say.
 */
export async function readProject(
  repository: Pick<LoopRepository, "readFile" | "listFiles">,
  baseOid: string,
  flags: Partial<ProjectFile>,
): Promise<Project> {
  const files = (await repository.listFiles(baseOid)).filter(({ mode }) => mode.startsWith("100"));
  const names = files.map(({ path }) => path);
  const written = await repository.readFile(baseOid, projectFileName);
  const file = written === undefined ? {} : parseProjectFile(written);
  const read = (path: string): Promise<Buffer | undefined> => repository.readFile(baseOid, path);
  const detected = await detectProject(read, names);
  return settledProject({ file, flags, detected, names, read });
}

/** Throws `project_invalid`, and says which key is wrong and why. */
export function parseProjectFile(written: Buffer): ProjectFile {
  if (written.length > maxBytes) throw invalid("is larger than 1 MiB");
  let json: unknown;
  try {
    json = JSON.parse(written.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw invalid(`is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const parsed = projectFile.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`is wrong at ${issue?.path.join(".") || "its top"}: ${issue?.message}`);
  }
  refuseUnknownHosts(parsed.data);
  refuseWideGlobs(parsed.data);
  return parsed.data;
}

interface Sources {
  file: Partial<ProjectFile>;
  flags: Partial<ProjectFile>;
  detected: Detected;
  /** All files, and what they hold. */
  names: readonly string[];
  read: ReadFile;
}

/** Puts the three together, key by key: one that is said is not mixed with what was detected. */
export async function settledProject({ file, flags, detected, names, read }: Sources): Promise<Project> {
  const sources: Project["sources"] = {};
  const pick = <Key extends keyof ProjectFile, Found>(
    key: Key,
    found: Found,
    source: "detected" | "default",
  ) => {
    sources[key] = source;
    if (file[key] !== undefined) sources[key] = "file";
    if (flags[key] !== undefined) sources[key] = "flag";
    return flags[key] ?? file[key] ?? found;
  };
  const setup = pick("setup", detected.setup, "detected");
  const verify = pick("verify", detected.verify, "detected");
  const commands = [...setup, ...verify.map(({ command }) => command)];
  const limits: NonNullable<ProjectFile["limits"]> = pick("limits", {}, "default");
  return {
    image: pick("image", null, "default"),
    setup,
    verify,
    env: pick("env", {}, "default"),
    network: settledNetwork(pick("network", {}, "default")),
    testPaths: pick("testPaths", detected.testPaths, "detected"),
    protectedPaths: unique([
      ...pick("protectedPaths", detected.protectedPaths, "detected"),
      projectFileName,
      ...(await checkPrograms(commands, names, read)),
    ]),
    lockFiles: unique([
      ...detected.lockFiles,
      ...namedFiles(setup, names),
      ...(setup.length > 0 ? [...goModules, ...dependencyLists] : []),
    ]),
    limits: {
      memory: limits.memory ?? null,
      cpus: limits.cpus ?? null,
      pids: limits.pids ?? null,
      changedFiles: limits.changedFiles ?? usualLimits.changedFiles,
      changedBytes: limits.changedBytes ?? usualLimits.changedBytes,
      binaries: limits.binaries ?? usualLimits.binaries,
    },
    detected: verify.length > 0 ? detected.detected : [...detected.detected, noChecks],
    sources,
  };
}

const noChecks =
  "no checks: nothing but the judge's model speaks for a change. Name some under `verify` in opentiger.json";

function settledNetwork(said: NonNullable<ProjectFile["network"]>): Project["network"] {
  const phase = (name: NetworkPhase) => ({
    policy: said[name]?.policy ?? null,
    allow: said[name]?.allow ?? [],
  });
  return { setup: phase("setup"), run: phase("run"), verify: phase("verify") };
}

/** Found out here, and not when the first sandbox is made. */
function refuseUnknownHosts({ network = {} }: ProjectFile): void {
  for (const phase of networkPhases) {
    try {
      applyChange(defaultNetworkSettings, { allowHost: network[phase]?.allow ?? [] });
    } catch (cause) {
      throw invalid(
        `names an unusable host under network.${phase}.allow: ${cause instanceof Error ? cause.message : ""}`,
        cause,
      );
    }
  }
}

/** One that stands for too much matches nothing but its name, and would protect nothing. */
function refuseWideGlobs({ testPaths = [], protectedPaths = [] }: ProjectFile): void {
  const wide = [...testPaths, ...protectedPaths].find((glob) => unfoldedBraces(glob) === undefined);
  if (wide !== undefined)
    throw invalid(`has a pattern whose braces stand for too much: ${wide.slice(0, 100)}`);
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}

function invalid(why: string, cause?: unknown): OrchestratorError {
  return new OrchestratorError("project_invalid", `${projectFileName} ${why}`, {
    remedy: `correct it and commit, or make a new one: opentiger init --force`,
    ...(cause === undefined ? {} : { cause }),
  });
}
