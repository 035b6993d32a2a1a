import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxError } from "@opentiger/sandbox";

/** The folder with our built programs: this one when we are built, `dist` when we run from source. */
export function bundlesFolder(here: string = dirname(fileURLToPath(import.meta.url))): string {
  const folder = [here, join(here, "..", "..", "dist")].find((each) =>
    existsSync(join(each, "docker-sandbox.js")),
  );
  if (folder) return folder;
  throw new SandboxError("internal", "openTiger was not built, so there is nothing for docker to start", {
    remedy: "npm run build",
  });
}
