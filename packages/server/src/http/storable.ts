import { createMiddleware } from "hono/factory";
import { ServerError } from "../errors.ts";

const harmless = new Set(["GET", "HEAD", "OPTIONS"]);

/** As JSON writes them; a backslash in front of it may mean that it is only text about such a character. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/**
 * Text that no table can hold is refused: with the character of number zero, or with half of a pair. It is nobody's
 * requirement, and would only be found out deep inside. The address first, since that is written down for every change.
 */
export const storableAddress = createMiddleware(async (c, next) => {
  if (c.req.url.includes("%00")) throw unstorable("the address");
  return next();
});

/** The same for what is sent, when it is known who sends it. */
export const storableBody = createMiddleware(async (c, next) => {
  if (harmless.has(c.req.method)) return next();
  const text = await c.req.text();
  if (suspicious.test(text)) check(text);
  return next();
});

function check(text: string): void {
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (!isStorable(key) || (typeof value === "string" && !isStorable(value)))
        throw unstorable("the request");
      return value;
    });
  } catch (error) {
    // What is no JSON at all is refused where it is read.
    if (error instanceof ServerError) throw error;
  }
}

function isStorable(text: string): boolean {
  // Halves of pairs do not survive being written.
  return !text.includes("\u0000") && Buffer.from(text, "utf8").toString("utf8") === text;
}

function unstorable(where: string): ServerError {
  return new ServerError("usage", `${where} contains a character that cannot be stored`, {
    remedy: "leave out U+0000, and halves of surrogate pairs",
  });
}
