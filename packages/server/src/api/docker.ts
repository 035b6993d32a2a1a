import { createRoute, z } from "@hono/zod-openapi";
import { bundledAgents, connectEngine, defaultHome, findAgentCli, workerImageName } from "@opentiger/sandbox";
import { anySignal } from "@opentiger/schema";
import type { ImageBuild } from "../image/image-builder.ts";
import type { Parts } from "../parts.ts";
import { answers, apiError, newApi, optionalJsonBody } from "./api.ts";
import { errorAnswer } from "./error-answer.ts";
import { time } from "./shapes.ts";

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

const choices = z
  .strictObject({
    agents: z.array(z.enum(bundledAgents)).min(1).optional(),
    base: z.enum(["registry", "debian"]).optional(),
    fresh: z.boolean().optional(),
  })
  .openapi("ImageBuildChoices");

const build = z
  .object({
    state: z.enum(["building", "built", "failed", "stopped"]),
    image: z.string(),
    startedAt: time,
    step: z.number().int().openapi({ description: "of `steps`; 0 before the engine has said" }),
    steps: z.number().int(),
    text: z.string().openapi({ description: "the step itself" }),
    lines: z.array(z.string()).openapi({ description: "the end of what the engine said" }),
    failure: z.union([apiError, z.null()]),
    unchanged: z.boolean().openapi({ description: "an image of the same recipe was there already" }),
  })
  .openapi("ImageBuild");

/** `nullable` of what has a name of its own would be written as a contradiction. */
const lastBuild = z.object({ build: z.union([build, z.null()]) }).openapi("LastImageBuild");

const showRoute = createRoute({
  method: "get",
  path: "/system/docker",
  tags,
  summary: "The engine, the image and the CLIs in it, and what is missing",
  responses: answers(docker, "What there is"),
});
const startRoute = createRoute({
  method: "post",
  path: "/system/docker/build",
  tags,
  summary: "Begins to build the worker image. It goes on whoever looks; one at a time.",
  request: { body: optionalJsonBody(choices) },
  responses: answers(build, "It has begun"),
});
const buildRoute = createRoute({
  method: "get",
  path: "/system/docker/build",
  tags,
  summary:
    "How far the build is, or what came of the last one. `system.build` in the stream of events says when to look.",
  responses: answers(lastBuild, "null: there was none"),
});
const stopRoute = createRoute({
  method: "delete",
  path: "/system/docker/build",
  tags,
  summary: "Stops the build that goes on. The image that was there before stays.",
  responses: answers(lastBuild, "What came of it"),
});

export function dockerApi({ images }: Parts) {
  return newApi()
    .openapi(showRoute, async (c) => {
      const env = images.environment();
      const signal = anySignal([c.req.raw.signal, AbortSignal.timeout(lookMs)]);
      const looks = await Promise.all(bundledAgents.map((agent) => look(agent, env, signal)));
      const problems = new Map(looks.flatMap(({ problem }) => (problem ? [[problem.message, problem]] : [])));
      const engine = await engineOf(env, signal).catch(() => null);
      const agents = looks.map(({ agent, version }) => ({ agent, version }));
      return c.json(
        { engine, image: workerImageName(env, () => {}), agents, problems: [...problems.values()] },
        200,
      );
    })
    .openapi(startRoute, (c) => c.json(shown(images.start(c.req.valid("json") ?? {})), 200))
    .openapi(buildRoute, (c) => c.json({ build: images.current && shown(images.current) }, 200))
    .openapi(stopRoute, async (c) => {
      const stopped = await images.stop();
      return c.json({ build: stopped && shown(stopped) }, 200);
    });
}

function shown({ lines, ...rest }: ImageBuild) {
  return { ...rest, lines: [...lines] };
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
