import { inject } from "vitest";
import { sharedDatabase } from "../../packages/orchestrator/src/fixture/shared-postgres.ts";
import { atEnd } from "./at-end.ts";

/**
 * Settings for a database of a test's own, in the PostgreSQL that all tests of the suite share: to make and to start a
 * server takes seconds. Who has to have one says `OPENTIGER_DATABASE_URL: undefined`.
 */
export async function testDatabase(): Promise<{ OPENTIGER_DATABASE_URL: string }> {
  const home = inject("sharedPostgres");
  if (home === undefined) throw new Error("this suite shares no PostgreSQL");
  const { url, drop } = await sharedDatabase(home);
  atEnd(drop);
  return { OPENTIGER_DATABASE_URL: url };
}
