import type { StepOf } from "./step.ts";

type Times = number | "forever";

/** The model says this; the steps after it belong to the same reply, up to the next tool call. */
export function say(text: string): StepOf<"say"> {
  return { do: "say", text };
}

/** It thinks for so long, and bytes keep coming meanwhile. */
export function think(ms: number, text = "Let me think."): StepOf<"think"> {
  return { do: "think", ms, text };
}

/** It stops for so long in the middle of its reply, and no byte comes. */
export function pause(ms: number): StepOf<"pause"> {
  return { do: "pause", ms };
}

export function readFile(path: string): StepOf<"readFile"> {
  return { do: "readFile", path };
}

/** Also over a file that is there. */
export function writeFile(path: string, content: string): StepOf<"writeFile"> {
  return { do: "writeFile", path, content };
}

/** `find` has to be in the file exactly once. */
export function editFile(path: string, find: string, replace: string): StepOf<"editFile"> {
  return { do: "editFile", path, find, replace };
}

export function runCommand(command: string): StepOf<"runCommand"> {
  return { do: "runCommand", command };
}

/** Ends the turn with an answer in the form that was asked for. Without a value it is made from the schema. */
export function answer(value?: unknown): StepOf<"answer"> {
  return { do: "answer", value };
}

/** Ends the turn; what follows is for the next prompt of the same session. */
export function finish(text = "Done."): StepOf<"finish"> {
  return { do: "finish", text };
}

/** 429. Without seconds it does not say when it is over. */
export function rateLimit(options: { resetSeconds?: number; times?: Times } = {}): StepOf<"rateLimit"> {
  return { do: "rateLimit", times: 1, ...options };
}

/** 401. */
export function unauthorized(times: Times = 1): StepOf<"unauthorized"> {
  return { do: "unauthorized", times };
}

/** 500. */
export function serverError(times: Times = 1): StepOf<"serverError"> {
  return { do: "serverError", times };
}

/** 529 of Anthropic's API, 503 of OpenAI's. */
export function overloaded(times: Times = 1): StepOf<"overloaded"> {
  return { do: "overloaded", times };
}

export function contextTooLong(times: Times = 1): StepOf<"contextTooLong"> {
  return { do: "contextTooLong", times };
}

/** The connection is destroyed after what was said before in the same reply. */
export function cutStream(times: Times = 1): StepOf<"cutStream"> {
  return { do: "cutStream", times };
}

/** Bytes that are neither JSON nor events. */
export function garbage(times: Times = 1): StepOf<"garbage"> {
  return { do: "garbage", times };
}

/** Not a byte for so long; then it goes on as if nothing had been. Without a time: until the client leaves. */
export function silence(ms?: number, times: Times = 1): StepOf<"silence"> {
  return { do: "silence", times, ...(ms === undefined ? {} : { ms }) };
}

/** The model declines, in the API's own form. */
export function refusal(text = "I cannot help with that.", times: Times = 1): StepOf<"refusal"> {
  return { do: "refusal", text, times };
}

/** Ends the turn with words, whatever form was asked for. */
export function proseInsteadOfAnswer(text = "It all looks fine to me."): StepOf<"proseInsteadOfAnswer"> {
  return { do: "proseInsteadOfAnswer", text };
}

/** The same command again and again, so often. */
export function endlessToolLoop(command: string, times: Times = "forever"): StepOf<"endlessToolLoop"> {
  return { do: "endlessToolLoop", command, times };
}
