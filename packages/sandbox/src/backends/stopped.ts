import { SandboxError } from "../errors.ts";

/** For who only looks at a sandbox: it is not started for that. */
export function stillStopped(name: string): SandboxError {
  return new SandboxError("not_allowed_now", `sandbox ${name} is stopped`, {
    remedy: `start it: docker sandbox exec ${name} true`,
  });
}
