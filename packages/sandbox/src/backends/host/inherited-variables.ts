import { setVariable } from "@opentiger/schema";

/** What begins so is for our own processes, and among it are secrets: only who inherits everything has it. */
const ours = "OPENTIGER_";

/** Those of the environment that are named; a star at the end of a name stands for anything. null: all that is not the settings of this process. */
export function inheritedVariables(
  env: NodeJS.ProcessEnv,
  names: readonly string[] | null,
): NodeJS.ProcessEnv {
  if (names === null) {
    const { [setVariable]: _ours, ...everything } = env;
    return everything;
  }
  const whole = new Set(names);
  const beginnings = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const isNamed = (name: string): boolean =>
    !name.startsWith(ours) && (whole.has(name) || beginnings.some((beginning) => name.startsWith(beginning)));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNamed(name)));
}
