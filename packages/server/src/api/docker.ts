import { createRoute, z } from "@hono/zod-openapi";
import {
  buildWorkerImage,
  bundledAgents,
  connectEngine,
  defaultHome,
  findAgentCli,
  workerImageName,
} from "@opentiger/sandbox";
import { ServerError } from "../errors.ts";
import { Progress } from "../live/progress.ts";
import { eventStreamHeaders, writeEvent } from "../live/streams.ts";
import type { Parts } from "../parts.ts";
import { answers, apiError, failures, newApi, optionalJsonBody } from "./api.ts";
import { errorAnswer } from "./error-answer.ts";

const tags = ["system"];

/** An engine that takes longer is not of use. */
const lookMs = 20_000;

const docker = z
  .object({
    engine: z
      .object({
        address: z.string(),
        version: z.string(),
        location: z.enum(["local", "desktop", "remote"]),
        rootless: z.boolean(),
        runtimes: z.array(z.string()),
      })
      .nullable(),
    image: z.string(),
    /** The CLIs in the image, as they say themselves. */
    agents: z.array(z.object({ agent: z.enum(bundledAgents), version: z.string().nullable() })),
    /** A8: what is missing, with its code and its remedy. */
    problems: z.array(apiError),
  })
  .openapi("Docker");

const build = z
  .strictObject({
    agents: z.array(z.enum(bundledAgents)).min(1).optional(),
    base: z.enum(["registry", "debian"]).optional(),
    fresh: z.boolean().optional(),
  })
  .openapi("ImageBuild");

const showRoute = createRoute({
  method: "get",
  path: "/system/docker",
  tags,
  summary: "The engine, the image and the CLIs in it, and what is missing",
  responses: answers(docker, "What there is"),
});
const buildRoute = createRoute({
  method: "post",
  path: "/system/docker/build",
  tags,
  summary: "Builds the worker image, and tells how far it is. It ends when nobody listens any more.",
  request: { body: optionalJsonBody(build) },
  responses: {
    200: {
      description: "Server-sent events: `progress`, and at the end `built` or `failed`",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...failures,
  },
});

export function dockerApi({ place, streams }: Parts) {
  let building = false;
  return newApi()
    .openapi(showRoute, async (c) => {
      const env = imageEnvironment();
      const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(lookMs)]);
      const looks = await Promise.all(bundledAgents.map((agent) => look(agent, env, signal)));
      const problems = new Map(looks.flatMap(({ problem }) => (problem ? [[problem.message, problem]] : [])));
      const engine = await engineOf(env, signal).catch(() => null);
      const agents = looks.map(({ agent, version }) => ({ agent, version }));
      return c.json(
        { engine, image: workerImageName(env, () => {}), agents, problems: [...problems.values()] },
        200,
      );
    })
    .openapi(buildRoute, (c) => {
      if (building) {
        throw new ServerError("not_allowed_now", "the image is being built", {
          remedy: "wait until it is done",
        });
      }
      building = true;
      const asked = c.req.valid("json") ?? {};
      return streams.answer((signal) => run(asked, signal), c.env.outgoing, eventStreamHeaders);
    });

  async function* run(asked: z.output<typeof build>, signal: AbortSignal): AsyncGenerator<string> {
    const env = imageEnvironment();
    const { docker: engine } = connectEngine({ env, home: defaultHome(env) });
    const { agents, base, fresh } = asked;
    const progress = new Progress();
    const built = buildWorkerImage({
      docker: engine,
      env,
      signal,
      tag: workerImageName(env, () => {}),
      onProgress: (event) => progress.add(event),
      ...(agents ? { agents } : {}),
      ...(base ? { base } : {}),
      ...(fresh ? { fresh } : {}),
    });
    try {
      for await (const event of progress.until(built)) yield writeEvent({ event: "progress", data: event });
      yield writeEvent({ event: "built", data: await built });
    } catch (error) {
      yield writeEvent({ event: "failed", data: errorAnswer(error) });
    } finally {
      await built.catch(() => {});
      building = false;
    }
  }

  function imageEnvironment(): NodeJS.ProcessEnv {
    return { ...place.env, SANDBOX_DOCKER_IMAGE: place.config.get("SANDBOX_DOCKER_IMAGE") };
  }
}

async function look(agent: (typeof bundledAgents)[number], env: NodeJS.ProcessEnv, signal: AbortSignal) {
  try {
    const { version } = await findAgentCli({ agent, env, signal });
    return { agent, version, problem: undefined };
  } catch (error) {
    return { agent, version: null, problem: errorAnswer(error) };
  }
}

async function engineOf(env: NodeJS.ProcessEnv, signal: AbortSignal) {
  const engine = connectEngine({ env, home: defaultHome(env) });
  const { version, location, rootless, runtimes } = await engine.facts(signal);
  return { address: engine.address, version, location, rootless, runtimes: [...runtimes] };
}
