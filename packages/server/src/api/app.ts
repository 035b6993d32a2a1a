import type { HonoRequest } from "hono";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import { ServerError } from "../errors.ts";
import { counted, guard } from "../http/guard.ts";
import { safeHeaders } from "../http/headers.ts";
import { pages, usualEncodings } from "../http/pages.ts";
import { storableAddress, storableBody } from "../http/storable.ts";
import { timed } from "../http/timed.ts";
import type { Parts } from "../parts.ts";
import { agentsApi } from "./agents.ts";
import { newApi } from "./api.ts";
import { authApi } from "./auth.ts";
import { configApi } from "./config.ts";
import { dockerApi } from "./docker.ts";
import { sendError } from "./error-answer.ts";
import { eventsApi } from "./events.ts";
import { healthApi } from "./health.ts";
import { judgementsApi } from "./judgements.ts";
import { loopResultsApi } from "./loop-results.ts";
import { loopsApi } from "./loops.ts";
import { metricsApi } from "./metrics.ts";
import { documentOf } from "./openapi.ts";
import { overviewApi } from "./overview.ts";
import { repositoriesApi } from "./repositories.ts";
import { runsApi } from "./runs.ts";
import { archiveType, sandboxCopyApi } from "./sandbox-copy.ts";
import { sandboxExecsApi } from "./sandbox-execs.ts";
import { sandboxFilesApi } from "./sandbox-files.ts";
import { sandboxNetworkApi } from "./sandbox-network.ts";
import { sandboxUpkeepApi } from "./sandbox-upkeep.ts";
import { sandboxUsageApi } from "./sandbox-usage.ts";
import { sandboxWorkApi } from "./sandbox-work.ts";
import { sandboxesApi } from "./sandboxes.ts";
import { secretsApi } from "./secrets.ts";
import { systemApi } from "./system.ts";
import { taskWordsApi } from "./task-words.ts";
import { tasksApi } from "./tasks.ts";
import { usageApi } from "./usage.ts";

/** A story file is the largest thing that anybody sends. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Lists, transcripts, diffs. Never a stream of events: each is to arrive when it happens. */
const compressed = /^(?:application\/json|text\/(?:plain|html|css|javascript))\b/;

/** Everything that can be asked over HTTP. Its type is what the client is made of. */
export function createApp(parts: Parts) {
  const app = newApi();
  if (parts.beyondLoopback) app.use(compress({ contentTypeFilter: compressed }));
  app.use(safeHeaders);
  app.use(counted(parts));
  app.use(timed(parts));
  const bounded = bodyLimit({ maxSize: maxBodyBytes, onError: () => tooLarge() });
  app.use((c, next) => (isArchive(c.req) ? next() : bounded(c, next)));
  app.use(storableAddress);
  app.use(guard(parts));
  app.use((c, next) => (isArchive(c.req) ? next() : storableBody(c, next)));
  app.use(pages({ encodings: parts.beyondLoopback ? usualEncodings : [] }));
  app.onError((error, c) => {
    const answer = sendError(c, error);
    if (answer.status === 500)
      parts.place.log(`${c.req.method} ${c.req.path}: ${error.stack ?? String(error)}`);
    return answer;
  });
  app.notFound((c) =>
    sendError(c, new ServerError("not_found", `there is no ${c.req.method} ${c.req.path}`)),
  );
  const routed = app
    .route("/", healthApi(parts))
    .route("/", metricsApi(parts))
    .route("/", authApi(parts))
    .route("/", configApi(parts))
    .route("/", repositoriesApi(parts))
    .route("/", overviewApi(parts))
    .route("/", loopsApi(parts))
    .route("/", loopResultsApi(parts))
    .route("/", tasksApi(parts))
    .route("/", taskWordsApi(parts))
    .route("/", runsApi(parts))
    .route("/", judgementsApi(parts))
    .route("/", eventsApi(parts))
    .route("/", usageApi(parts))
    .route("/", sandboxesApi(parts))
    .route("/", sandboxWorkApi(parts))
    .route("/", sandboxExecsApi(parts))
    .route("/", sandboxFilesApi(parts))
    .route("/", sandboxCopyApi(parts))
    .route("/", sandboxUpkeepApi(parts))
    .route("/", sandboxNetworkApi(parts))
    .route("/", sandboxUsageApi(parts))
    .route("/", secretsApi(parts))
    .route("/", dockerApi(parts))
    .route("/", systemApi(parts))
    .route("/", agentsApi(parts));
  // When it is first asked for: to write it takes longer than all else that has to be done before the server is ready.
  let document: ReturnType<typeof documentOf> | undefined;
  app.get("/openapi.json", (c) => {
    document ??= documentOf(routed);
    return c.json(document);
  });
  return routed;
}

export type App = ReturnType<typeof createApp>;

/** It goes on into a sandbox piece by piece, whatever its size, and into no table. */
function isArchive(asked: HonoRequest): boolean {
  const type = asked.header("content-type") ?? "";
  return (
    asked.method === "PUT" && /^\/sandboxes\/[^/]+\/files$/.test(asked.path) && type.startsWith(archiveType)
  );
}

function tooLarge(): never {
  throw new ServerError("too_large", `a request may have ${maxBodyBytes / 1024 / 1024} MB`);
}
