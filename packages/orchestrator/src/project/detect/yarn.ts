import { detectJavascript, type PackageManager } from "./javascript.ts";
import type { Kind } from "./kind.ts";
import { type PackageManifest, readManifest } from "./package-manifest.ts";
import type { ProjectFiles } from "./project-files.ts";

const manager: PackageManager = {
  name: "yarn",
  lockFiles: ["yarn.lock"],
  settings: [".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases/**", ".yarn/plugins/**", ".yarn/patches/**"],
  bring: bringNamed,
  runsInstalledOnly: isModern,
  install: async (files, lockFile) => {
    // With CI=true it is immutable unless told otherwise, and then makes no lock file either.
    if (await isModern(files))
      return `yarn install --${lockFile === undefined ? "no-immutable" : "immutable"}`;
    return lockFile === undefined
      ? "yarn install --no-lockfile --non-interactive"
      : "yarn install --frozen-lockfile --non-interactive";
  },
  run: (script, flags) => `yarn run ${script}${flags === undefined ? "" : ` ${flags}`}`,
  // The two yarns have no command for it in common.
  testWorkspaces: (folders) => folders.map((folder) => `(cd ${folder} && yarn run test)`).join(" && "),
};

export const yarn: Kind = { name: "yarn", detect: (files) => detectJavascript(files, manager) };

/** Where it is put, in the project: on the host nothing else may be changed. Git does not see it after the set-up. */
const broughtTo = ".yarn/cli";

/**
 * The newer version that package.json names, where the repository does not have it: its makers count on corepack to fetch
 * that, and the yarn that machines have refuses to work in its place. Once it is named in `.yarnrc`, which only that one
 * reads, each `yarn` is the named one, for agents and scripts too, and without a network.
 */
async function bringNamed(files: ProjectFiles, { packageManager = "" }: PackageManifest): Promise<string[]> {
  const version = namedVersion(packageManager);
  if (version === undefined || files.has(".yarnrc") || (await hasOwn(files))) return [];
  const path = `./${broughtTo}/node_modules/@yarnpkg/cli-dist/bin/yarn.js`;
  return [
    `npm install --no-save --no-package-lock --no-audit --no-fund --prefix ${broughtTo} @yarnpkg/cli-dist@${version}`,
    `echo 'yarn-path "${path}"' > .yarnrc`,
  ];
}

/** Since its third; of the second only the last ones are to be had so. It may have a checksum, of another file than npm's. */
function namedVersion(packageManager: string): string | undefined {
  const [, version] =
    /^yarn@((?:[3-9]|[1-9]\d)\.\d+\.\d+(?:-[\w.-]+)?)(?:\+[\w.]+)?$/.exec(packageManager) ?? [];
  return version;
}

async function hasOwn(files: ProjectFiles): Promise<boolean> {
  return /^yarnPath\s*:/m.test((await files.text(".yarnrc.yml")) ?? "");
}

/** Since its second version it has other options, and a lock file in another form. */
async function isModern(files: ProjectFiles): Promise<boolean> {
  if (files.has(".yarnrc.yml") || /^__metadata:/m.test((await files.text("yarn.lock")) ?? "")) return true;
  return namedVersion((await readManifest(files))?.packageManager ?? "") !== undefined;
}
