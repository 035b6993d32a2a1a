import { allRows, firstRow, oneRow, type Queryable } from "@opentiger/orchestrator";
import { z } from "zod";
import { ServerError } from "../errors.ts";
import { hashOf, newToken, readToken, sameHash, type TokenKind, tokenKinds, writeToken } from "./token.ts";

/** What is known of a token; its secret is not. */
export const tokenRow = z.object({
  id: z.string(),
  kind: z.enum(tokenKinds),
  name: z.string(),
  createdAt: z.date(),
  createdBy: z.string(),
  expiresAt: z.date().nullable(),
  usedAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  /** Good only for who asks over this machine's loopback. */
  hereOnly: z.boolean(),
});
export type TokenRow = z.infer<typeof tokenRow>;

const columns = `id, kind, name, created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
  used_at as "usedAt", revoked_at as "revokedAt", here_only as "hereOnly"`;

/** What people call a key. */
export const keyName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, "letters, digits and - _ .");

export interface NewTokenRequest {
  kind: TokenKind;
  name: string;
  by: string;
  /** Absent: until it is revoked. */
  lastsMs?: number;
  hereOnly?: boolean;
}

/** Makes one. What is returned as `token` is the only time that anybody sees it. */
export async function issueToken(
  on: Queryable,
  { kind, name, by, lastsMs, hereOnly = false }: NewTokenRequest,
): Promise<{ row: TokenRow; token: string }> {
  const token = newToken(kind);
  const row = await firstRow(
    on,
    tokenRow,
    `insert into api_keys (id, kind, name, hash, created_by, expires_at, here_only)
     values ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 millisecond', $7)
     on conflict (name) where kind = 'key' and revoked_at is null do nothing returning ${columns}`,
    [token.id, kind, name, hashOf(token.secret), by, lastsMs ?? null, hereOnly],
  );
  if (row) return { row, token: writeToken(token) };
  throw new ServerError("already_exists", `there is a key called ${name} already`, {
    remedy: "give it another name, or revoke the one there is",
  });
}

/** The token that this text is, where it is one of this kind and good now. */
export async function goodToken(on: Queryable, text: string, kind: TokenKind): Promise<TokenRow | undefined> {
  const token = readToken(text);
  if (token?.kind !== kind) return undefined;
  const found = await firstRow(
    on,
    tokenRow.extend({ hash: z.instanceof(Buffer), good: z.boolean() }),
    `select ${columns}, hash, revoked_at is null and (expires_at is null or expires_at > now()) as good
     from api_keys where id = $1 and kind = $2`,
    [token.id, kind],
  );
  if (!found) return undefined;
  const { hash, good, ...row } = found;
  return sameHash(hash, hashOf(token.secret)) && good ? row : undefined;
}

/** Says when it was last used, to the minute: a busy key does not cost a write with every request. */
export async function noteUse(on: Queryable, id: string): Promise<void> {
  await on.query(
    "update api_keys set used_at = now() where id = $1 and (used_at is null or used_at < now() - interval '1 minute')",
    [id],
  );
}

/** Takes a link: of all who do, one gets it. */
export async function takeLink(on: Queryable, id: string): Promise<boolean> {
  const { count } = await on.query(
    "update api_keys set used_at = now(), revoked_at = now() where id = $1 and kind = 'link' and revoked_at is null",
    [id],
  );
  return count > 0;
}

/** undefined: there is none of this kind that is not revoked. From now on the next request with it is refused. */
export async function revokeToken(on: Queryable, id: string, kind: TokenKind): Promise<TokenRow | undefined> {
  return firstRow(
    on,
    tokenRow,
    `update api_keys set revoked_at = now() where id = $1 and kind = $2 and revoked_at is null returning ${columns}`,
    [id, kind],
  );
}

/** Those that are good now, the oldest first. People make a handful. */
export async function listTokens(on: Queryable, kind: "key" | "session"): Promise<TokenRow[]> {
  return allRows(
    on,
    tokenRow,
    `select ${columns} from api_keys
     where kind = $1 and revoked_at is null and (expires_at is null or expires_at > now())
     order by created_at, id limit 500`,
    [kind],
  );
}

export async function hasKey(on: Queryable): Promise<boolean> {
  const row = await oneRow(
    on,
    z.object({ any: z.boolean() }),
    `select exists (select 1 from api_keys where kind = 'key' and revoked_at is null
       and (expires_at is null or expires_at > now())) as any`,
  );
  return row.any;
}

/** Links and sessions whose time is over; keys stay as a memory of who had one. */
export async function forgetOldTokens(on: Queryable): Promise<void> {
  await on.query(
    `delete from api_keys where kind <> 'key' and
       (expires_at < now() - interval '1 day' or revoked_at < now() - interval '1 day')`,
  );
}
