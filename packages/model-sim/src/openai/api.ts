import type { Api } from "../server/api.ts";
import { openaiError, openaiFailedStream } from "./errors.ts";
import { openaiObjection } from "./objection.ts";
import { garbageText, streamResponse, toldTokens, wholeResponse } from "./reply.ts";
import { readResponses } from "./request.ts";

/** OpenAI's Responses. */
export const openai: Api = {
  name: "openai",
  read: readResponses,
  objection: openaiObjection,
  stream: streamResponse,
  whole: wholeResponse,
  told: toldTokens,
  error: openaiError,
  failedStream: openaiFailedStream,
  garbage: garbageText,
};
