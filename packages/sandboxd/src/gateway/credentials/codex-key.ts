import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

const keyFile = z.looseObject({ OPENAI_API_KEY: z.string().min(1), tokens: z.null().optional() });

/** The API key that `codex login --with-api-key` keeps in auth.json; undefined where that is a ChatGPT login. */
export function codexKey(text: string): string | undefined {
  const file = keyFile.safeParse(jsonOf(text));
  return file.success ? file.data.OPENAI_API_KEY : undefined;
}
