import { bun } from "./bun.ts";
import { cargo } from "./cargo.ts";
import { go } from "./go.ts";
import { joinedFolders } from "./joined-folders.ts";
import type { DetectedPart, Kind } from "./kind.ts";
import { make } from "./make.ts";
import { npm } from "./npm.ts";
import { pip } from "./pip.ts";
import { pnpm } from "./pnpm.ts";
import { ProjectFiles, type ReadFile } from "./project-files.ts";
import { uv } from "./uv.ts";
import { yarn } from "./yarn.ts";

export type Detected = Omit<DetectedPart, "detected"> & { detected: string[] };

const kinds: readonly Kind[] = [npm, pnpm, yarn, bun, uv, pip, go, cargo];

/** How many folders are looked into where the top has nothing. */
const maxFolders = 20;

/** Whatever the project is made with: what may not be changed to make checks green. */
const alwaysProtected = [
  ".github/**",
  ".gitlab-ci.yml",
  ".circleci/**",
  ".buildkite/**",
  ".travis.yml",
  "Jenkinsfile",
  "azure-pipelines.yml",
  "bitbucket-pipelines.yml",
  "**/{GNUmakefile,makefile,Makefile,justfile,Justfile,Taskfile.yml}",
  ".pre-commit-config.yaml",
  ".husky/**",
  ".gitattributes",
];

/** What runners take for tests by themselves, and what tests compare with, whatever the project is made with. */
const usualTests = [
  "**/{test,tests,__tests__,spec}/**",
  "**/{testdata,fixtures,__fixtures__}/**",
  "**/*{.,_,-}{test,tests,spec}.*",
  "**/{test,tests,spec}.{js,jsx,ts,tsx,mjs,cjs,mts,cts,py,rb,sh}",
  "**/test{_,-}*.*",
  "**/*{Test,Tests,Spec}.{java,kt,scala,groovy,cs,swift,php}",
];

/**
 * What can be told of a project by its files. Where the top folder shows nothing, each folder in it is asked; a Makefile
 * counts where nothing else has checks, since it mostly calls the others.
 */
export async function detectProject(read: ReadFile, names: readonly string[]): Promise<Detected> {
  const files = new ProjectFiles(names, read);
  const top = await partsOf(files);
  const below: DetectedPart[] = [];
  for (const folder of top.length === 0 ? foldersOf(files) : []) {
    for (const part of await partsOf(files.below(folder))) below.push(inFolder(part, folder));
  }
  const found = [...top, ...below];
  const globs = (of: (part: DetectedPart) => string[]) => [
    ...top.flatMap(of),
    ...joinedFolders(below.flatMap(of)),
  ];
  return {
    detected: found.map((part) => part.detected),
    setup: unique(found.flatMap((part) => part.setup)),
    verify: found.flatMap((part) => part.verify),
    testPaths: unique([...globs((part) => part.testPaths), ...usualTests]),
    protectedPaths: unique([...alwaysProtected, ...globs((part) => part.protectedPaths)]),
    lockFiles: unique(found.flatMap((part) => part.lockFiles)),
  };
}

async function partsOf(files: ProjectFiles): Promise<DetectedPart[]> {
  const found: DetectedPart[] = [];
  for (const kind of kinds) {
    const part = await kind.detect(files);
    if (part) found.push(part);
  }
  if (found.some(({ verify }) => verify.length > 0)) return found;
  const made = await make.detect(files);
  return made ? [...found, made] : found;
}

/** Folders of the top with something to detect in them; not what was installed there. */
function foldersOf(files: ProjectFiles): string[] {
  const folders = new Set<string>();
  for (const name of files.names) {
    const at = name.indexOf("/");
    if (at > 0) folders.add(name.slice(0, at));
  }
  return [...folders]
    .filter((folder) => /^[\w][\w.-]*$/.test(folder) && !/^(?:node_modules|vendor|third_party)$/.test(folder))
    .toSorted()
    .slice(0, maxFolders);
}

/** As seen from the top. */
function inFolder(part: DetectedPart, folder: string): DetectedPart {
  const within = (path: string): string => `${folder}/${path}`;
  const there = (command: string): string => `cd ${folder} && ${command}`;
  return {
    detected: `${part.detected} in ${folder}`,
    setup: part.setup.map(there),
    verify: part.verify.map(({ command, reporter }) => ({
      command: there(command),
      ...(reporter
        ? { reporter: { ...reporter, ...(reporter.path ? { path: within(reporter.path) } : {}) } }
        : {}),
    })),
    testPaths: part.testPaths.map(within),
    protectedPaths: part.protectedPaths.map(within),
    lockFiles: part.lockFiles.map(within),
  };
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}
