import { detectJavascript, type PackageManager } from "./javascript.ts";
import type { Kind } from "./kind.ts";

const manager: PackageManager = {
  name: "pnpm",
  lockFiles: ["pnpm-lock.yaml"],
  settings: [".npmrc", ".pnpmfile.cjs", "pnpm-workspace.yaml"],
  install: async (_, lockFile) =>
    lockFile === undefined ? "pnpm install --no-lockfile" : "pnpm install --frozen-lockfile",
  run: (script, flags) => `pnpm run ${script}${flags === undefined ? "" : ` ${flags}`}`,
  testWorkspaces: (folders) => `pnpm ${folders.map((folder) => `--filter=./${folder}`).join(" ")} run test`,
};

export const pnpm: Kind = { name: "pnpm", detect: (files) => detectJavascript(files, manager) };
