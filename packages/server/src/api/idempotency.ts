import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { type Database, firstRow } from "@opentiger/orchestrator";
import type { Context } from "hono";
import { whoName } from "../access/who.ts";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import type { ApiEnv } from "./api.ts";

/** Of a request that makes something: sent again with the same key, it makes nothing more. */
export const idempotencyHeader = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .openapi({ description: "the same request with the same key is done once, for a day" }),
});

const row = z.object({ request: z.instanceof(Buffer), server: z.string(), answer: z.unknown() });

/** What this process is doing for a key at the moment. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Does it, or gives the answer of the time when it was done for this key; whoever asks while it is being done waits for
 * that one. At most once: where the server ended in the middle, nobody knows whether it was done, and it is not done again.
 */
export async function once<T>(
  { place, boot }: Parts,
  c: Context<ApiEnv>,
  asked: unknown,
  make: () => Promise<T>,
): Promise<T> {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return make();
  const about = [key, whoName(c.var.who), `${c.req.method} ${c.req.path}`] as const;
  const request = createHash("sha256").update(JSON.stringify(asked)).digest();
  const name = JSON.stringify([boot, about, request.toString("hex")]);
  const doing =
    underWay.get(name) ??
    doOnce(place.database, { about, request, boot }, make).finally(() => underWay.delete(name));
  underWay.set(name, doing);
  // The same route does it, for the same request.
  return doing as Promise<T>;
}

interface Keyed {
  about: readonly [key: string, who: string, action: string];
  request: Buffer;
  boot: string;
}

async function doOnce<T>(
  database: Database,
  { about, request, boot }: Keyed,
  make: () => Promise<T>,
): Promise<T> {
  await database.query("delete from idempotency_keys where at < now() - interval '1 day'");
  const { count } = await database.query(
    `insert into idempotency_keys (key, who, action, request, server) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [...about, request, boot],
  );
  const mine = "where key = $1 and who = $2 and action = $3";
  if (count === 0) {
    const found = await firstRow(
      database,
      row,
      `select request, server, answer from idempotency_keys ${mine}`,
      about,
    );
    return answerOf<T>(found, request);
  }
  const made = await make().catch(async (error: unknown) => {
    // What was refused was not made.
    await database.query(`delete from idempotency_keys ${mine}`, about).catch(() => {});
    throw error;
  });
  await database.query(`update idempotency_keys set answer = $4::jsonb ${mine}`, [
    ...about,
    JSON.stringify(made),
  ]);
  return made;
}

function answerOf<T>(found: z.infer<typeof row> | undefined, request: Buffer): T {
  if (!found || (found.answer === null && found.request.equals(request))) {
    throw new ServerError(
      "not_allowed_now",
      "a request with this idempotency key is under way, or was cut off",
      {
        remedy: "look whether it was done before you ask again with another key",
      },
    );
  }
  if (!found.request.equals(request)) {
    throw new ServerError("usage", "another request was made with this idempotency key", {
      remedy: "take a new key for each thing that is to be made",
    });
  }
  // The same route wrote it, for the same request.
  return found.answer as T;
}
