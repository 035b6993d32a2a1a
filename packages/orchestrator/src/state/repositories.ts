import { z } from "zod";
import { allRows, firstRow, oneRow, type Queryable } from "./rows.ts";

export const repositoryRow = z.object({
  id: z.string(),
  path: z.string(),
  name: z.string(),
  createdAt: z.date(),
});
export type RepositoryRow = z.infer<typeof repositoryRow>;

const columns = `id, path, name, created_at as "createdAt"`;

/** The repository at this path, which is known from now on if it was not. */
export async function ensureRepository(
  on: Queryable,
  { path, name }: { path: string; name: string },
): Promise<RepositoryRow> {
  // The update changes nothing; it makes the row that is there come back.
  return oneRow(
    on,
    repositoryRow,
    `insert into repositories (path, name) values ($1, $2)
     on conflict (path) do update set path = excluded.path returning ${columns}`,
    [path, name],
  );
}

export async function findRepository(on: Queryable, id: string): Promise<RepositoryRow | undefined> {
  return firstRow(on, repositoryRow, `select ${columns} from repositories where id = $1`, [id]);
}

/** By path, which is how people look for them; there are as many as somebody works on. */
export async function listRepositories(
  on: Queryable,
  { after = "", limit = 100 }: { after?: string; limit?: number } = {},
): Promise<RepositoryRow[]> {
  return allRows(
    on,
    repositoryRow,
    `select ${columns} from repositories where path > $1 order by path limit $2`,
    [after, limit],
  );
}
