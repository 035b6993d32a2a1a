import { rewriteLoopback, type Sandbox } from "@opentiger/sandbox";

/**
 * The variables of a command that nobody watches: those of the project, as they lead to the same places from inside, and
 * the one by which tools know that they must not ask.
 */
export function commandEnvironment(
  { backend }: Pick<Sandbox, "backend">,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  return { CI: "true", ...(backend === "docker" ? rewriteLoopback(env).env : env) };
}
