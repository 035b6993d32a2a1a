import { detectJavascript, type PackageManager } from "./javascript.ts";
import type { Kind } from "./kind.ts";

const manager: PackageManager = {
  name: "bun",
  lockFiles: ["bun.lock", "bun.lockb"],
  settings: [".npmrc", "bunfig.toml"],
  install: async (_, lockFile) =>
    lockFile === undefined ? "bun install --no-save" : "bun install --frozen-lockfile",
  run: (script, flags) => `bun run ${script}${flags === undefined ? "" : ` ${flags}`}`,
  testWorkspaces: (folders) => folders.map((folder) => `(cd ${folder} && bun run test)`).join(" && "),
};

export const bun: Kind = { name: "bun", detect: (files) => detectJavascript(files, manager) };
