import { createRoute, z } from "@hono/zod-openapi";
import { checkLogin } from "@opentiger/agents";
import {
  agentKinds,
  executionEnvironments,
  loginAgents,
  loginStatus,
  role,
  roleKeys,
  roles,
} from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { loginEnvironment } from "./login-environment.ts";
import { environment } from "./shapes.ts";

/** The agents that log in, as the settings call them. */
const kindOf = { claude: "claude_code", codex: "codex", opencode: "opencode" } as const;

const agents = z
  .object({
    items: z.array(
      z.object({
        agent: z.enum(loginAgents),
        roles: z.array(role).openapi({ description: "that it has, as it is configured" }),
        /** Its version and its login, in each environment. */
        places: z.array(loginStatus.extend({}).openapi("LoginStatus")),
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
    query: z.object({ environment: environment.optional().openapi({ description: "only there" }) }),
  },
  responses: answers(agents, "All of them, and who has which role"),
});

export function agentsApi({ place }: Parts) {
  const { config } = place;
  return newApi().openapi(route, async (c) => {
    const { environment: only } = c.req.valid("query");
    const places = only === undefined ? executionEnvironments : [only];
    const options = { env: loginEnvironment(place), signal: c.req.raw.signal };
    const configured = roles.map((each) => {
      const [agentKey, modelKey] = roleKeys[each];
      return { role: each, agent: config.get(agentKey), model: config.get(modelKey) ?? null };
    });
    const items = await Promise.all(
      loginAgents.map(async (agent) => ({
        agent,
        roles: configured.filter((each) => each.agent === kindOf[agent]).map((each) => each.role),
        places: await Promise.all(places.map((where) => checkLogin(agent, where, options))),
      })),
    );
    return c.json({ items, next: null, roles: configured }, 200);
  });
}
