import type { NetworkPolicy } from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";

const variable = "SANDBOX_DOCKER_NETWORK";

/** The engine's network mode for a sandbox; contract A10. Only an open sandbox has an interface at all. */
export function decideNetwork(
  policy: NetworkPolicy,
  env: NodeJS.ProcessEnv,
  warn: (sentence: string) => void,
): string {
  const named = env[variable];
  if (policy !== "open") {
    if (named) sayOnce(warn);
    return "none";
  }
  if (named === "host" || named?.startsWith("container:")) {
    throw new SandboxError(
      "unsupported",
      `${variable}=${named} would put the sandbox into somebody else's network`,
      {
        remedy: `set ${variable} to a network of \`docker network ls\`, or unset it for bridge`,
      },
    );
  }
  return named || "bridge";
}

let said = false;

function sayOnce(warn: (sentence: string) => void): void {
  if (said) return;
  said = true;
  warn(
    `${variable} is set, and opens nothing by itself: it names the network of sandboxes made with --network open.`,
  );
}
