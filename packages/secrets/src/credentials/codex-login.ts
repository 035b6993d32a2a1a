import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

/** What can be told from Codex's auth.json about its age. Times are undefined where the file does not say. */
export interface CodexLogin {
  lastRefresh: Date | undefined;
  accessTokenExpiresAt: Date | undefined;
}

/** Only what makes it one of Codex's: a ChatGPT login's tokens, or an API key. Other fields come and go. */
const authFile = z
  .object({
    OPENAI_API_KEY: z.string().nullish(),
    tokens: z.object({ access_token: z.string() }).nullish(),
    last_refresh: z.string().nullish(),
  })
  .refine(({ OPENAI_API_KEY, tokens }) => OPENAI_API_KEY || tokens);

const claims = z.object({ exp: z.number() });

/** undefined when this is not such a file. */
export function codexLogin(bytes: Uint8Array): CodexLogin | undefined {
  const file = authFile.safeParse(jsonOf(Buffer.from(bytes).toString("utf8")));
  if (!file.success) return undefined;
  const { tokens, last_refresh } = file.data;
  return {
    lastRefresh: dated(Date.parse(last_refresh ?? "")),
    accessTokenExpiresAt: tokens ? expiryOf(tokens.access_token) : undefined,
  };
}

/** Of a JWT, whose signature is none of our business: we only want to know how old it is. */
function expiryOf(token: string): Date | undefined {
  const payload = token.split(".")[1];
  if (payload === undefined) return undefined;
  const read = claims.safeParse(jsonOf(Buffer.from(payload, "base64url").toString("utf8")));
  return read.success ? dated(read.data.exp * 1000) : undefined;
}

function dated(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
