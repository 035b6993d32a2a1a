import type { SandboxRecord, WorkspaceKind } from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";
import type { EngineFacts } from "../engine/facts.ts";
import { type ImageTools, missingTools } from "../image/tools.ts";
import type { Identity } from "./identity.ts";

/** A socket can be shared only with a container on this very kernel, and where nothing stands in between. */
export function decideCarrier(
  kind: WorkspaceKind,
  facts: EngineFacts,
  runtime: string | null,
  tools: ImageTools,
): SandboxRecord["carrier"] {
  if (missingTools(tools) !== undefined) return "engine-exec";
  if (facts.location !== "local" || (runtime !== null && runtime !== "runc")) return "exec-stdio";
  // SELinux lets a container connect to our socket only where its label is off, which a direct mount needs anyway.
  if (facts.selinux && kind === "clone") return "exec-stdio";
  return "socket";
}

/** `SANDBOX_DOCKER_RUNTIME`, if the engine has it. */
export function decideRuntime(env: NodeJS.ProcessEnv, facts: EngineFacts): string | null {
  const wanted = env["SANDBOX_DOCKER_RUNTIME"];
  if (!wanted) return null;
  if (facts.runtimes.includes(wanted)) return wanted;
  throw new SandboxError("unsupported", `the engine has no runtime called ${JSON.stringify(wanted)}`, {
    remedy: `install it and name it in the engine's settings (it has ${facts.runtimes.join(", ")}), or unset SANDBOX_DOCKER_RUNTIME`,
  });
}

/** What this engine cannot do with a folder of the host, each with the way that works. */
export function refuseImpossible(kind: WorkspaceKind, facts: EngineFacts): void {
  if (kind === "clone") return;
  if (facts.location === "remote") {
    throw new SandboxError("unsupported", "the engine runs on another machine and cannot see the workspace", {
      remedy: "use --clone: the repository is sent into the sandbox",
    });
  }
  if (facts.usernsRemap) {
    throw new SandboxError(
      "unsupported",
      "the engine maps user ids (userns-remap): files of yours would belong to nobody",
      {
        remedy: "use --clone: the repository is sent into the sandbox",
      },
    );
  }
}

export function refuseRootUnderRuntime(identity: Identity, runtime: string | null, path: string): void {
  if (identity.isolation !== "agent-root" || runtime === null || runtime === "runc") return;
  throw new SandboxError(
    "unsupported",
    `${path} belongs to root, and the runtime ${runtime} cannot keep such an agent apart`,
    {
      remedy: "use --clone, give the folder to another user, or unset SANDBOX_DOCKER_RUNTIME",
    },
  );
}
