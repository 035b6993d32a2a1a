import type { Api } from "../server/api.ts";
import { anthropicError } from "./errors.ts";
import { anthropicObjection } from "./objection.ts";
import { garbageText, streamMessage, toldTokens, wholeMessage } from "./reply.ts";
import { readMessages } from "./request.ts";

/** Anthropic's Messages. */
export const anthropic: Api = {
  name: "anthropic",
  read: readMessages,
  objection: anthropicObjection,
  stream: streamMessage,
  whole: wholeMessage,
  told: toldTokens,
  error: anthropicError,
  failedStream: () => undefined,
  garbage: garbageText,
};
