import { posix } from "node:path";
import { pathMatcher } from "../git/path-matcher.ts";
import { goModules, manifests, runnerSettings } from "./control-paths.ts";
import { dependencyLists } from "./dependency-lists.ts";
import { readManifest } from "./detect/package-manifest.ts";
import { ProjectFiles, type ReadFile } from "./detect/project-files.ts";

/** Who names more files than this in its checks names them by patterns. */
const mostFiles = 500;

/** Manifests of the packages of one repository. */
const mostManifests = 200;

/**
 * Files of the repository that decide about its checks as their commands themselves do: those that a command names, and
 * those that are named in turn by a script of a package.json that it runs, a Makefile, a shell script or the settings of
 * a test runner. A program of the project that a check only starts is what the tasks are about, and none of them.
 */
export async function checkPrograms(
  commands: readonly string[],
  names: readonly string[],
  read: ReadFile,
): Promise<string[]> {
  const files = new ProjectFiles(names, read);
  const found = new Set<string>();
  const texts: Text[] = commands.map((text) => ({ text, folder: "" }));
  texts.push(...(await scriptsRunBy(commands, files)));
  for (const path of files.matching(...runnerSettings, ...(runsMake(commands) ? makefiles : [])))
    texts.push(await textOf(files, path));
  for (let text = texts.shift(); text && found.size < mostFiles; text = texts.shift()) {
    for (const named of namedIn(text, files)) {
      const { path } = named;
      if (found.has(path) || !isHarness(named) || isDependencies(path)) continue;
      found.add(path);
      if (isFollowed(path)) texts.push(await textOf(files, path));
    }
  }
  return [...found];
}

/** Files of the repository that commands name, whatever they are. */
export function namedFiles(commands: readonly string[], names: readonly string[]): string[] {
  const files = new ProjectFiles(names, async () => undefined);
  return [
    ...new Set(commands.flatMap((text) => namedIn({ text, folder: "" }, files).map(({ path }) => path))),
  ];
}

/** What says commands, and from which folder its names are meant, besides the top. */
interface Text {
  text: string;
  folder: string;
  /** Settings of a runner: it loads what they name. */
  isLoaded?: boolean;
}

async function textOf(files: ProjectFiles, path: string): Promise<Text> {
  const isLoaded = isRunnerSettings(path);
  return { text: (await files.text(path)) ?? "", folder: folderOf(path), isLoaded };
}

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

const isRunnerSettings = pathMatcher(runnerSettings);

interface Named {
  path: string;
  /** Not only mentioned: it is what runs, or is loaded by that. */
  isRun: boolean;
}

const separators = /[\s'"`;|&()<>=,:[\]{}]+/;

const interpreted =
  /(?:^|[\s;&|(/'"`])(?:node|deno run|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua)(?:\s+-\S+)*\s+([^\s'"`;|&]+)|(?:-r|--require|--import|--loader)[\s=]+([^\s'"`;|&]+)/g;

function namedIn({ text, folder, isLoaded = false }: Text, files: ProjectFiles): Named[] {
  const run = new Set(
    [...text.matchAll(interpreted)].flatMap(([, program, loaded]) => program ?? loaded ?? []),
  );
  const words = new Set([...text.split(separators), ...run].filter((word) => word !== ""));
  return [...words].flatMap((word) => {
    const places = [posix.join(folder, word), posix.normalize(word)];
    const path = places.find((each) => files.has(each));
    return path === undefined ? [] : [{ path, isRun: isLoaded || run.has(word) }];
  });
}

const script = /\b(?:npm|pnpm|yarn|bun)\b(?:\s+-\S+)*\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*([\w:.-]+)/g;

/** The scripts that commands run, in every package that has one of that name, and the scripts which those run. */
async function scriptsRunBy(commands: readonly string[], files: ProjectFiles): Promise<Text[]> {
  const packages: { folder: string; scripts: Readonly<Record<string, string>> }[] = [];
  for (const path of files.matching(...manifests).slice(0, mostManifests)) {
    const folder = folderOf(path);
    const manifest = await readManifest(folder === "" ? files : files.below(folder));
    packages.push({ folder, scripts: manifest?.scripts ?? {} });
  }
  const texts: Text[] = [];
  const known = new Set<string>();
  const wanted = commands.flatMap(scriptNames);
  for (let name = wanted.shift(); name !== undefined; name = wanted.shift()) {
    if (known.has(name)) continue;
    known.add(name);
    for (const { folder, scripts } of packages)
      for (const each of [`pre${name}`, name, `post${name}`]) {
        const text = Object.hasOwn(scripts, each) ? scripts[each] : undefined;
        if (text === undefined) continue;
        texts.push({ text, folder });
        wanted.push(...scriptNames(text));
      }
  }
  return texts;
}

function scriptNames(command: string): string[] {
  return [...command.matchAll(script)].map(([, name = ""]) => (name === "t" ? "test" : name));
}

const makefiles = ["{GNUmakefile,makefile,Makefile}"];

function runsMake(commands: readonly string[]): boolean {
  return commands.some((command) => /(?:^|[\s;&|(])g?make\b/.test(command));
}

/** Text in which a name is a file that is run or read. In a program it may be anything. */
const isFollowed = pathMatcher([
  "**/*.{sh,bash,mk}",
  "**/{GNUmakefile,makefile,Makefile}{,.*}",
  ...runnerSettings,
]);

/** Scripts and settings, wherever they are named, */
const harness = /(?:^|\/)(?:\.?ci|scripts|tools)\/|\.(?:sh|bash|mk|ya?ml|toml|json|cfg|ini)$|(?:^|\/)[^./]+$/;
/** what is called as only something is that tests, */
const testing = /(?:test|spec|check|verify|lint|runner|setup)/i;
/** and programs that are run, but for those which lie or are called as the project's own do. */
const product =
  /(?:^|\/)(?:src|lib|app|bin|cmd|pkg|internal)\/|(?:^|\/)(?:main|index|cli|app|server|manage|__main__)\.\w+$/;

function isHarness({ path, isRun }: Named): boolean {
  return harness.test(path) || testing.test(posix.basename(path)) || (isRun && !product.test(path));
}

/** What a set-up reads of these is set up again where it is changed: only who writes a file protects it as a whole. */
const isDependencies = pathMatcher([...manifests, ...goModules, ...dependencyLists]);
