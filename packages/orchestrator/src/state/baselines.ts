import { type CheckRound, checkRound } from "@opentiger/schema";
import { z } from "zod";
import { firstRow, type Queryable } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** How checks stood at a commit. What they depend on besides is hashed into the key, so a row never becomes wrong. */
export async function findBaseline(
  on: Queryable,
  commit: string,
  key: string,
): Promise<CheckRound | undefined> {
  const row = await firstRow(
    on,
    z.object({ round: checkRound }),
    "select round from baselines where commit_oid = $1 and key = $2",
    [commit, key],
  );
  return row?.round;
}

/** A commit that nobody builds on any more is not asked about; one that is, is checked again. */
const keptFor = "30 days";

/** Of two who found it out at the same time, the first is believed by both. Returns the one that is. */
export async function keepBaseline(on: Queryable, key: string, round: CheckRound): Promise<CheckRound> {
  await on.query(
    "insert into baselines (commit_oid, key, round) values ($1, $2, $3::jsonb) on conflict do nothing",
    [round.commit, key, storableJson(round)],
  );
  await on.query("delete from baselines where at < now() - $1::interval", [keptFor]);
  return (await findBaseline(on, round.commit, key)) ?? round;
}
