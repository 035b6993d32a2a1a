import type { ServerResponse } from "node:http";
import type { ModelRequest } from "../conversation/model-request.ts";
import type { Opening } from "../conversation/opening.ts";
import { type SideKind, sideKind } from "../conversation/side.ts";
import { sampleOf } from "../scenario/answer-sample.ts";
import type { Failure, Reply } from "../scenario/reply.ts";
import { tokensOf } from "../scenario/token-count.ts";
import { nextTurn, type TurnOutcome } from "../scenario/turn.ts";
import { toolboxOf } from "../tools/toolbox.ts";
import type { Api } from "./api.ts";
import type { RequestRecord } from "./records.ts";
import type { Sessions } from "./sessions.ts";
import { EventStream, waitFor } from "./sse.ts";

export interface ExchangeParts {
  api: Api;
  sessions: Sessions;
  opening: Opening;
  request: ModelRequest;
  record: RequestRecord;
  response: ServerResponse;
  /** Ends with the client, and with the simulation. */
  signal: AbortSignal;
}

/** Answers one request to a model; ends with the answer, or with the client. */
export async function answerModelRequest(parts: ExchangeParts): Promise<void> {
  const { api, sessions, opening, request, record, response, signal } = parts;
  const session = sessions.of(opening.session);
  record.session = session.key;
  record.model = request.model;
  record.tools = opening.tools;
  const side = sideKind(request);
  record.side = side !== undefined;
  const objection = api.objection(request);
  const { turn, step, holdMs, problems } = side ? sideTurn(parts, side) : scriptedTurn(parts, objection);
  record.step = step;
  record.problems = [...record.problems, ...problems];
  session.note(record.problems);
  await waitFor(holdMs, signal);
  if (turn.kind === "reply") return reply(parts, turn.reply);
  const events = request.stream ? api.failedStream(turn.failure, request.model) : undefined;
  if (!events) return fail(api, turn.failure, record, response);
  const stream = new EventStream(response, signal);
  stream.open();
  for (const event of events) stream.send(event);
  stream.end();
  record.status = 200;
  record.complete = true;
}

export function fail(api: Api, failure: Failure, record: RequestRecord, response: ServerResponse): void {
  const { status, body, headers } = api.error(failure, new Date());
  record.status = status;
  record.complete = true;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** What the API itself would refuse takes no step of the scenario. */
function scriptedTurn(
  { sessions, opening, request, record }: ExchangeParts,
  objection?: string,
): TurnOutcome {
  const session = sessions.of(opening.session);
  const scenario = session.scenario(opening, (begun) => sessions.choose(begun));
  const { problems, newItems, from } = session.take(request.items);
  record.toolResults = newItems.flatMap((item) => (item.kind === "result" ? [item] : []));
  if (objection !== undefined) {
    const failure = { kind: "invalid", message: objection } as const;
    return {
      turn: { kind: "failure", failure },
      step: undefined,
      holdMs: 0,
      problems: [...problems, objection],
    };
  }
  const outcome = nextTurn({
    session: session.key,
    scenario,
    request,
    toolbox: toolboxOf(request),
    from,
    meets: (step, trouble) => session.meets(step, trouble),
  });
  session.decided(outcome);
  return { ...outcome, problems: [...problems, ...outcome.problems] };
}

const sideTexts: Readonly<Record<SideKind, string>> = {
  title: "A conversation",
  probe: "Yes",
  summary: "This is what was done so far.",
};

/** A summary of a conversation that stays too long is too long as well. */
function sideTurn({ sessions, opening, request }: ExchangeParts, kind: SideKind): TurnOutcome {
  const rest = { step: undefined, holdMs: 0, problems: [] };
  if (kind === "summary" && sessions.of(opening.session).isTooLong)
    return { turn: { kind: "failure", failure: { kind: "contextTooLong" } }, ...rest };
  const text = request.schema ? JSON.stringify(sampleOf(request.schema)) : sideTexts[kind];
  const parts = [{ kind: "text", text }] as const;
  const reply = { parts, stop: "end", ending: "whole", tokens: tokensOf(request.items, parts) } as const;
  return { turn: { kind: "reply", reply }, ...rest };
}

/** What was told at the beginning counts as cut, until the answer is whole. */
async function reply(parts: ExchangeParts, said: Reply): Promise<void> {
  const { api, sessions, opening, request, record, response, signal } = parts;
  record.status = 200;
  try {
    if (request.stream) {
      const stream = new EventStream(response, signal);
      stream.open();
      await api.stream(stream, request.model, said);
    } else await wholeReply(parts, said);
    record.complete = said.ending === "whole";
  } finally {
    const kind = record.side ? "side" : "main";
    record.tokens = api.told(record.complete ? said : { ...said, ending: "cut" });
    sessions.of(opening.session).count(record.complete ? kind : "cut", record.tokens);
  }
}

async function wholeReply({ api, request, response, signal }: ExchangeParts, said: Reply): Promise<void> {
  for (const part of said.parts)
    if (part.kind === "wait" || part.kind === "thinking") await waitFor(part.ms, signal);
  if (said.ending === "cut") return void response.destroy();
  response.writeHead(200, { "content-type": "application/json" });
  response.end(said.ending === "garbage" ? api.garbage : JSON.stringify(api.whole(request.model, said)));
}
