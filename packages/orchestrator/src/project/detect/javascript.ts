import type { VerifyCommand } from "@opentiger/schema";
import { type DetectedPart, reportPath } from "./kind.ts";
import {
  longestCall,
  type PackageManifest,
  readManifest,
  realScript,
  workspaceFolders,
} from "./package-manifest.ts";
import type { ProjectFiles } from "./project-files.ts";

/** What the package managers differ in. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  readonly lockFiles: readonly string[];
  /** Other files that decide what is installed. */
  readonly settings: readonly string[];
  /** What has to be done for it to be there in the version that the project needs. */
  bring?(files: ProjectFiles, manifest: PackageManifest): Promise<string[]>;
  /** Whether it runs no script before an install, also where there is nothing to be installed. */
  runsInstalledOnly?(files: ProjectFiles): Promise<boolean>;
  install(files: ProjectFiles, lockFile: string | undefined): Promise<string>;
  /** The command that runs a script; with flags for it, where the manager passes them on. */
  run(script: string, flags?: string): string;
  /** The command that runs the tests of these workspaces. */
  testWorkspaces(folders: readonly string[]): string;
}

/** The project that this manager manages, if it does. */
export async function detectJavascript(
  files: ProjectFiles,
  manager: PackageManager,
): Promise<DetectedPart | undefined> {
  const manifest = await readManifest(files);
  if (!manifest || (await managerOf(files, manifest)) !== manager.name) return undefined;
  const lockFile = files.first(...manager.lockFiles);
  const manifests = lockFile ? [] : ["package.json", "**/package.json"];
  const brought = (await manager.bring?.(files, manifest)) ?? [];
  const isInstalled = needsInstall(files, manifest) || (await manager.runsInstalledOnly?.(files));
  return {
    detected: `${manager.name} (${lockFile ?? "package.json"})`,
    setup: isInstalled ? [...brought, await manager.install(files, lockFile)] : [],
    verify: await verifyOf(files, manifest, manager),
    testPaths,
    protectedPaths,
    lockFiles: [...manager.lockFiles, ...manager.settings, "patches/**", ...manifests],
  };
}

const testPaths = [
  "**/*.{test,spec}.{js,jsx,ts,tsx,mjs,cjs,mts,cts}",
  "**/{test,tests,__tests__,__mocks__,__snapshots__,spec,e2e,cypress}/**",
];

const protectedPaths = [
  "**/package.json",
  "**/.npmrc",
  "**/.yarnrc{,.yml}",
  "**/.pnpmfile.cjs",
  "**/bunfig.toml",
  "**/pnpm-workspace.yaml",
  "**/{vitest,vite,jest,karma,playwright,cypress,ava,babel,webpack,rollup}.{config,conf,workspace,setup}.*",
  "**/.{mocharc,nycrc,babelrc,c8rc,swcrc,taprc}*",
  "**/tsconfig*.json",
  "**/{turbo,nx,lerna}.json",
  "scripts/**",
  "patches/**",
];

const locksOf: readonly [PackageManager["name"], readonly string[]][] = [
  ["pnpm", ["pnpm-lock.yaml", "pnpm-workspace.yaml"]],
  ["yarn", ["yarn.lock"]],
  ["bun", ["bun.lock", "bun.lockb"]],
];

async function managerOf(
  files: ProjectFiles,
  { packageManager = "" }: PackageManifest,
): Promise<PackageManager["name"]> {
  const [, named] = /^(npm|pnpm|yarn|bun)@/.exec(packageManager) ?? [];
  const found = locksOf.find(([name, locks]) => name === named || (!named && files.first(...locks)));
  return found?.[0] ?? "npm";
}

/** One without dependencies is ready as it is. */
function needsInstall(files: ProjectFiles, manifest: PackageManifest): boolean {
  const { dependencies = {}, devDependencies = {}, optionalDependencies = {}, workspaces } = manifest;
  const wanted = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  return wanted.length > 0 || workspaces !== undefined || files.has("pnpm-workspace.yaml");
}

/** The test script where it is a real one, else those of the workspaces; and the types, where a script checks them. */
async function verifyOf(
  files: ProjectFiles,
  manifest: PackageManifest,
  manager: PackageManager,
): Promise<VerifyCommand[]> {
  const { scripts = {} } = manifest;
  const types = ["typecheck", "type-check", "check-types", "check:types"].find((name) =>
    realScript(scripts[name]),
  );
  const checks: VerifyCommand[] = types === undefined ? [] : [{ command: manager.run(types) }];
  const test = scripts["test"];
  if (realScript(test)) return [...checks, withReporter(test, manager)];
  const folders = await workspacesWithTests(files, manifest);
  return folders.length === 0 ? checks : [...checks, { command: manager.testWorkspaces(folders) }];
}

async function workspacesWithTests(files: ProjectFiles, manifest: PackageManifest): Promise<string[]> {
  const found: string[] = [];
  for (const folder of await workspaceFolders(files, manifest)) {
    const inner = await readManifest(files.below(folder));
    if (realScript(inner?.scripts?.["test"])) found.push(folder);
  }
  return found;
}

/** Runners that tell of each test when they are asked to, where the script is nothing but their call. */
function withReporter(script: string, manager: PackageManager): VerifyCommand {
  if (script.length > longestCall) return { command: manager.run("test") };
  if (
    /^vitest(?: run)?(?: --[\w.-]+(?:=[\w./-]+)?)*$/.test(script) &&
    !/--(?:reporter|outputFile)/.test(script)
  ) {
    const flags = `--reporter=default --reporter=json --outputFile.json=${reportPath.json}`;
    return {
      command: manager.run("test", flags),
      reporter: { format: "vitest-json", path: reportPath.json },
    };
  }
  if (
    /^node(?: --[\w-]+(?:=[\w./-]+)?)* --test(?: --[\w-]+(?:=[\w./-]+)?)*$/.test(script) &&
    !/-reporter/.test(script)
  ) {
    const flags =
      "--test-reporter=spec --test-reporter-destination=stdout " +
      `--test-reporter=tap --test-reporter-destination=${reportPath.tap}`;
    return { command: manager.run("test", flags), reporter: { format: "tap", path: reportPath.tap } };
  }
  return { command: manager.run("test") };
}
