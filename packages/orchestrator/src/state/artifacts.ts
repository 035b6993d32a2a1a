import { z } from "zod";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { allRows, firstRow, oneRow, type Queryable } from "./rows.ts";

export interface NewArtifact {
  run: string;
  /** As `diff`, `transcript`, `log`. */
  kind: string;
  path: string;
  bytes: number;
  keepMs: number;
}

export const artifactRow = z.object({
  id: z.number(),
  run: z.string(),
  kind: z.string(),
  path: z.string(),
  bytes: z.number(),
  createdAt: z.date(),
  expiresAt: z.date(),
});
export type ArtifactRow = z.infer<typeof artifactRow>;

const columns = `id, run_id as run, kind, path, bytes, created_at as "createdAt", expires_at as "expiresAt"`;

export async function addArtifact(on: Queryable, added: NewArtifact): Promise<ArtifactRow> {
  const { run, kind, path, bytes, keepMs } = added;
  return oneRow(
    on,
    artifactRow,
    `insert into artifacts (run_id, kind, path, bytes, expires_at)
     values ($1, $2, $3, $4, now() + $5 * interval '1 millisecond') returning ${columns}`,
    [run, kind, path, bytes, keepMs],
  );
}

export async function findArtifact(on: Queryable, id: number): Promise<ArtifactRow | undefined> {
  return firstRow(on, artifactRow, `select ${columns} from artifacts where id = $1`, [id]);
}

/** Of a run, oldest first. */
export async function listArtifacts(
  on: Queryable,
  { run, ...page }: { run: string } & PageRequest,
): Promise<Page<ArtifactRow>> {
  return onePage(
    on,
    artifactRow,
    `select ${columns}, id as place from artifacts
     where run_id = $3 and id > coalesce($1::bigint, 0) order by id limit $2`,
    page,
    [run],
  );
}

/** Whose time is over, the oldest first. Their files are removed, and then `forgetArtifacts`. */
export async function expiredArtifacts(on: Queryable, limit: number): Promise<ArtifactRow[]> {
  return allRows(
    on,
    artifactRow,
    `select ${columns} from artifacts where expires_at <= now() order by expires_at, id limit $1`,
    [limit],
  );
}

/** The oldest of all: those that go first where there are too many. */
export async function oldestArtifacts(on: Queryable, limit: number): Promise<ArtifactRow[]> {
  return allRows(on, artifactRow, `select ${columns} from artifacts order by id limit $1`, [limit]);
}

export async function forgetArtifacts(on: Queryable, ids: readonly number[]): Promise<void> {
  await on.query("delete from artifacts where id = any ($1::bigint[])", [ids]);
}

/** How much disk all of them take. */
export async function artifactBytes(on: Queryable): Promise<number> {
  const row = await oneRow(
    on,
    z.object({ bytes: z.number() }),
    "select coalesce(sum(bytes), 0)::bigint as bytes from artifacts",
  );
  return row.bytes;
}
