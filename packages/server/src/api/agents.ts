import { createRoute, z } from "@hono/zod-openapi";
import { checkLogin } from "@opentiger/agents";
import { agentFacts, agentRoles, knownAgents, noteLogin } from "@opentiger/orchestrator";
import { agentKinds, executionEnvironments, loginAgents, loginStatus, role } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { loginEnvironment } from "./login-environment.ts";
import { environment } from "./shapes.ts";

const lastKnown = z.object({
  version: z.string().nullable(),
  authenticated: z.boolean(),
  checkedAt: z.string(),
});

const agents = z
  .object({
    items: z.array(
      z.object({
        agent: z.enum(loginAgents),
        roles: z.array(role).openapi({ description: "that it has, as it is configured" }),
        usedAt: z.string().nullable().openapi({ description: "when a run of it last began" }),
        /** Its version and its login, in each environment. */
        places: z.array(
          loginStatus.extend({
            lastKnown: lastKnown
              .nullable()
              .openapi({ description: "what the last check that could tell found" }),
          }),
        ),
      }),
    ),
    next: z.null(),
    roles: z.array(
      z.object({
        role,
        agent: z.enum(agentKinds),
        model: z.string().nullable().openapi({ description: "null: the agent's own choice" }),
      }),
    ),
  })
  .openapi("Agents");

const route = createRoute({
  method: "get",
  path: "/agents",
  tags: ["system"],
  summary: "Which agents there are: their versions, where they are logged in, and what they do",
  request: {
    query: z.strictObject({ environment: environment.optional().openapi({ description: "only there" }) }),
  },
  responses: answers(agents, "All of them, and who has which role"),
});

export function agentsApi({ place }: Parts) {
  const { config, database } = place;
  return newApi().openapi(route, async (c) => {
    const { environment: only } = c.req.valid("query");
    const places = only === undefined ? executionEnvironments : [only];
    const options = { env: loginEnvironment(place), signal: c.req.raw.signal };
    const configured = await agentRoles(async (name) => config.get(name));
    const logins = await Promise.all(
      loginAgents.flatMap((agent) => places.map((where) => checkLogin(agent, where, options))),
    );
    // What was found is the answer, whether it can be kept or not.
    for (const login of logins) await noteLogin(database, login).catch(() => {});
    const known = await knownAgents(database);
    const items = agentFacts({ logins, roles: configured, known });
    return c.json({ items, next: null, roles: configured }, 200);
  });
}
