import type { SecretState } from "@opentiger/secrets";
import type { Colours } from "../output/colours.ts";

const colour = { ok: "reset", expiring: "yellow", expired: "red" } as const satisfies Record<
  SecretState,
  keyof Colours
>;

/** When a secret ends, as a table shows it. */
export function expiryCell(
  { expiresAt, state }: { expiresAt: string | null; state: SecretState },
  colours: Colours,
): string {
  if (expiresAt === null) return "-";
  const day = expiresAt.slice(0, 10);
  return colours[colour[state]](state === "ok" ? day : `${day} (${state})`);
}
