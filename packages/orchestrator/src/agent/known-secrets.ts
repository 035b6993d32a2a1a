import { Redactor } from "@opentiger/agents";
import { handedOut } from "@opentiger/sandboxd";
import { type BackendName, looksSecret } from "@opentiger/schema";
import type { Place } from "../place.ts";

/** Shorter ones would be found by chance in any text. */
const shortest = 8;

/** Values that shall appear nowhere, as far as this process has them: they stand in its environment or the agent's. */
export function knownSecrets(...environments: readonly NodeJS.ProcessEnv[]): string[] {
  const found = environments.flatMap((env) =>
    Object.entries(env).flatMap(([name, value = ""]) =>
      value.length >= shortest && looksSecret(name, value) ? [value] : [],
    ),
  );
  return [...new Set(found)];
}

/** Where an agent works or worked. */
export interface Workplace {
  /** By its template. */
  agent: string;
  /** Of the sandbox. */
  name: string;
  backend: BackendName;
}

/** The same, and with them what the agents of these places can read there: nothing of it is to come out. */
export async function secretsWithin(
  { env, config }: Pick<Place, "env" | "config">,
  places: readonly Workplace[],
  ...environments: readonly NodeJS.ProcessEnv[]
): Promise<string[]> {
  const way = config.get("SANDBOX_CREDENTIALS");
  const given = await Promise.all(places.map((place) => handedOut({ ...place, way, env })));
  return [...new Set([...knownSecrets(env, ...environments), ...given.flat()])];
}

/** Cleans what came out of these places. */
export async function redactionOf(
  place: Pick<Place, "env" | "config">,
  ...places: readonly Workplace[]
): Promise<(text: string) => string> {
  const redactor = new Redactor(await secretsWithin(place, places));
  return (text) => redactor.text(text);
}
