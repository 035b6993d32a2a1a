import type { Queryable } from "@opentiger/orchestrator";
import { forgetOldTokens, issueToken } from "./tokens.ts";

/** Long enough to click it, too short to be found later. */
const linkMs = 10 * 60_000;

/** A link with which a browser logs in, once. */
export async function newLoginLink(
  on: Queryable,
  url: string,
  by: string,
): Promise<{ url: string; expiresAt: Date | null }> {
  await forgetOldTokens(on);
  const { row, token } = await issueToken(on, { kind: "link", name: "login", by, lastsMs: linkMs });
  // Behind the #, which browsers send nowhere: it stands in no log, and no preview uses it up.
  return { url: `${url}/login#${token}`, expiresAt: row.expiresAt };
}
