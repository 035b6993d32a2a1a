import { detectJavascript, type PackageManager } from "./javascript.ts";
import type { Kind } from "./kind.ts";

const manager: PackageManager = {
  name: "npm",
  lockFiles: ["package-lock.json", "npm-shrinkwrap.json"],
  settings: [".npmrc"],
  // Without a lock file none is made: the tree would differ from what is committed.
  install: async (_, lockFile) =>
    lockFile === undefined
      ? "npm install --no-package-lock --no-audit --no-fund"
      : "npm ci --no-audit --no-fund",
  run: (script, flags) => {
    const command = script === "test" ? "npm test" : `npm run ${script}`;
    return flags === undefined ? command : `${command} -- ${flags}`;
  },
  testWorkspaces: (folders) => `npm test ${folders.map((folder) => `--workspace=${folder}`).join(" ")}`,
};

export const npm: Kind = { name: "npm", detect: (files) => detectJavascript(files, manager) };
