import { detectJavascript, type PackageManager } from "./javascript.ts";
import type { Kind } from "./kind.ts";
import type { ProjectFiles } from "./project-files.ts";

const manager: PackageManager = {
  name: "yarn",
  lockFiles: ["yarn.lock"],
  settings: [".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases/**", ".yarn/plugins/**", ".yarn/patches/**"],
  install: async (files, lockFile) => {
    if (await isModern(files)) return lockFile === undefined ? "yarn install" : "yarn install --immutable";
    return lockFile === undefined
      ? "yarn install --no-lockfile --non-interactive"
      : "yarn install --frozen-lockfile --non-interactive";
  },
  run: (script, flags) => `yarn run ${script}${flags === undefined ? "" : ` ${flags}`}`,
  // The two yarns have no command for it in common.
  testWorkspaces: (folders) => folders.map((folder) => `(cd ${folder} && yarn run test)`).join(" && "),
};

export const yarn: Kind = { name: "yarn", detect: (files) => detectJavascript(files, manager) };

/** Since its second version it has other options, and a lock file in another form. */
async function isModern(files: ProjectFiles): Promise<boolean> {
  return files.has(".yarnrc.yml") || /^__metadata:/m.test((await files.text("yarn.lock")) ?? "");
}
