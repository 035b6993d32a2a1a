import type { LoginAgent, LoginStatus } from "@opentiger/schema";
import { queryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import type { Environment } from "./sandboxes.ts";

/** Looked at once, and again when somebody asks: each look starts a program or a container. */
export const loginQuery = (agent: LoginAgent, environment: Environment) =>
  queryOptions({
    queryKey: ["logins", agent, environment],
    queryFn: ({ signal }) =>
      ask<LoginStatus>("GET", `/system/${agent}/auth`, { query: { environment }, signal }),
    staleTime: "static",
    retry: false,
  });
