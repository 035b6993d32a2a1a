import { createRoute, z } from "@hono/zod-openapi";
import {
  type ArtifactRow,
  findArtifact,
  findRun,
  listArtifacts,
  listRuns,
  type RunRow,
  whyTranscriptIsGone,
} from "@opentiger/orchestrator";
import { agentEvent, role, runStatus } from "@opentiger/schema";
import { ServerError } from "../errors.ts";
import { openRunFile } from "../live/run-file.ts";
import { eventStreamHeaders } from "../live/streams.ts";
import { followTranscript, readTranscript } from "../live/transcript.ts";
import type { Parts } from "../parts.ts";
import { answers, failures, newApi, textAnswer } from "./api.ts";
import { existing } from "./loops.ts";
import { numberInQuery, pageOf, pageQuery } from "./paging.ts";
import { loopId, runShape, time, uuid } from "./shapes.ts";
import { shownRun } from "./shown-run.ts";
import { withoutAbsent } from "./without-absent.ts";

const tags = ["runs"];
const params = z.object({ id: uuid });

/** Where a file lies is nobody's business: it is asked for by its id. */
const artifact = z
  .object({
    id: z.number().int(),
    run: uuid,
    kind: z.string(),
    bytes: z.number().int(),
    createdAt: time,
    expiresAt: time,
  })
  .openapi("Artifact");

const transcript = z
  .object({
    items: z.array(agentEvent),
    next: z.number().int().nullable(),
    gone: z
      .string()
      .nullable()
      .openapi({ description: "Why it is empty, where it was kept and is not any more" }),
  })
  .openapi("Transcript");

const text = { description: "Its text", content: { "text/plain": { schema: z.string() } } };

const listRoute = createRoute({
  method: "get",
  path: "/loops/{id}/runs",
  tags,
  summary: "The runs of a loop, the newest first",
  request: { params: z.object({ id: loopId }), query: pageQuery.extend({ status: runStatus.optional() }) },
  responses: answers(pageOf(runShape).openapi("LoopRuns"), "A page of them"),
});

const allRoute = createRoute({
  method: "get",
  path: "/runs",
  tags,
  summary: "The runs of all loops, the newest first",
  request: {
    query: pageQuery.extend({
      status: runStatus.optional(),
      role: role.optional(),
      agent: z.string().max(100).optional(),
    }),
  },
  responses: answers(pageOf(runShape).openapi("LoopRuns"), "A page of them"),
});

const showRoute = createRoute({
  method: "get",
  path: "/runs/{id}",
  tags,
  summary: "One run",
  request: { params },
  responses: answers(runShape, "The run"),
});

const transcriptRoute = createRoute({
  method: "get",
  path: "/runs/{id}/transcript",
  tags,
  summary: "What the agent did and said, by number",
  request: { params, query: pageQuery },
  responses: answers(transcript, "Events of the agent, without secrets that we know of"),
});

const liveRoute = createRoute({
  method: "get",
  path: "/runs/{id}/transcript/live",
  tags,
  summary: "The same, as it happens, until the run has ended. With `Last-Event-ID` it goes on there.",
  request: { params, headers: z.object({ "last-event-id": numberInQuery(0, 1e12).optional() }) },
  responses: {
    200: { description: "Server-sent events", content: { "text/event-stream": { schema: z.string() } } },
    ...failures,
  },
});

const artifactsRoute = createRoute({
  method: "get",
  path: "/runs/{id}/artifacts",
  tags,
  summary: "What is kept of it: the diff, the transcript, the output of checks",
  request: { params, query: pageQuery },
  responses: answers(pageOf(artifact).openapi("Artifacts"), "A page of them"),
});

const artifactRoute = createRoute({
  method: "get",
  path: "/runs/{id}/artifacts/{artifact}",
  tags,
  summary: "One of them, as text",
  request: { params: z.object({ id: uuid, artifact: numberInQuery(1, Number.MAX_SAFE_INTEGER) }) },
  responses: { 200: text, ...failures },
});

const diffRoute = createRoute({
  method: "get",
  path: "/runs/{id}/diff",
  tags,
  summary: "What it changed",
  request: { params },
  responses: { 200: text, ...failures },
});

export function runsApi(parts: Parts) {
  const { place, streams } = parts;
  const { database } = place;
  return newApi()
    .openapi(listRoute, async (c) => {
      const { id } = await existing(parts, c.req.valid("param").id);
      const runs = await listRuns(database, { loop: id, ...withoutAbsent(c.req.valid("query")) });
      return c.json({ ...runs, items: runs.items.map(shownRun) }, 200);
    })
    .openapi(allRoute, async (c) => {
      const runs = await listRuns(database, withoutAbsent(c.req.valid("query")));
      return c.json({ ...runs, items: runs.items.map(shownRun) }, 200);
    })
    .openapi(showRoute, async (c) => c.json(shownRun(await existingRun(parts, c.req.valid("param").id)), 200))
    .openapi(transcriptRoute, async (c) => {
      const run = await existingRun(parts, c.req.valid("param").id);
      const page = await readTranscript(place, run.id, c.req.valid("query"));
      return c.json({ ...page, gone: whyTranscriptIsGone(place, run) }, 200);
    })
    .openapi(liveRoute, async (c) => {
      const run = await existingRun(parts, c.req.valid("param").id);
      const after = c.req.valid("header")["last-event-id"] ?? 0;
      const chunks = (signal: AbortSignal) => followTranscript(place, run.id, after, signal);
      return streams.answer(chunks, c.env.outgoing, eventStreamHeaders);
    })
    .openapi(artifactsRoute, async (c) => {
      const run = await existingRun(parts, c.req.valid("param").id);
      const found = await listArtifacts(database, { run: run.id, ...c.req.valid("query") });
      return c.json({ ...found, items: found.items.map(shownArtifact) }, 200);
    })
    .openapi(artifactRoute, async (c) => {
      const { id, artifact: number } = c.req.valid("param");
      const found = await findArtifact(database, number);
      if (found?.run !== id) throw missing("artifact", String(number));
      return sendFile(c.env.outgoing, found);
    })
    .openapi(diffRoute, async (c) => {
      const run = await existingRun(parts, c.req.valid("param").id);
      const { items } = await listArtifacts(database, { run: run.id, limit: 500 });
      const found = items.findLast(({ kind }) => kind === "diff");
      if (!found) throw missing("diff of run", run.id);
      return sendFile(c.env.outgoing, found);
    });

  async function sendFile(outgoing: Parameters<typeof streams.answer>[1], { run, path }: ArtifactRow) {
    const file = await openRunFile(place, run, path);
    if (!file) throw missing("file of run", run);
    return textAnswer(
      streams.answer(() => file, outgoing, {
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": "attachment",
      }),
    );
  }
}

async function existingRun({ place }: Parts, id: string): Promise<RunRow> {
  const run = await findRun(place.database, id);
  if (run) return run;
  throw missing("run", id);
}

function shownArtifact({ id, run, kind, bytes, createdAt, expiresAt }: ArtifactRow) {
  return { id, run, kind, bytes, createdAt, expiresAt };
}

function missing(what: string, id: string): ServerError {
  return new ServerError("not_found", `there is no ${what} ${id}`, {
    remedy: "GET /loops/ID/runs lists the runs of a loop; artifacts are removed when their time is over",
  });
}
