import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Lost } from "./shell/lost.tsx";
import { PageFailure } from "./shell/page-failure.tsx";
import { Shell } from "./shell/shell.tsx";

/** What may stand behind the ? of any page, so that what is seen can be shared. */
export interface PageSearch {
  tab?: string;
  /** What is searched for. */
  q?: string;
  status?: string;
  /** Those of a list that are shown alone, as `blocked` or `changed`. */
  only?: string;
  /** What a chart shows. */
  measure?: string;
  /** What to begin with, as a repository of a new loop. */
  from?: string;
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: Lost,
  validateSearch: (search: Record<string, unknown>): PageSearch => ({
    ...text(search, "tab"),
    ...text(search, "q"),
    ...text(search, "status"),
    ...text(search, "only"),
    ...text(search, "measure"),
    ...text(search, "from"),
  }),
});

/** One line a page: its path is that of what it shows, and its code is loaded when it is opened. */
const routes = [
  page("/", () => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
  page("/loops", () => import("./pages/loops/loops-page.tsx"), "LoopsPage"),
  page("/loops/new", () => import("./pages/new-loop/new-loop-page.tsx"), "NewLoopPage"),
  page("/loops/$id", () => import("./pages/loop/loop-page.tsx"), "LoopPage"),
  page("/tasks/$id", () => import("./pages/task/task-page.tsx"), "TaskPage"),
  page("/runs/$id", () => import("./pages/run/run-page.tsx"), "RunPage"),
  page("/sandboxes", () => import("./pages/sandboxes/sandboxes-page.tsx"), "SandboxesPage"),
  page("/sandboxes/$name", () => import("./pages/sandbox/sandbox-page.tsx"), "SandboxPage"),
  page("/system", () => import("./pages/system/system-page.tsx"), "SystemPage"),
  page("/secrets", () => import("./pages/secrets/secrets-page.tsx"), "SecretsPage"),
  page("/usage", () => import("./pages/usage/usage-page.tsx"), "UsagePage"),
  page("/judgements", () => import("./pages/judgements/judgements-page.tsx"), "JudgementsPage"),
  page("/agents", () => import("./pages/agents/agents-page.tsx"), "AgentsPage"),
  page("/audit", () => import("./pages/audit/audit-page.tsx"), "AuditPage"),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: "intent",
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function page<Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, () => React.ReactNode>>,
  name: Name,
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load, name),
  });
}

function text<Name extends string>(search: Record<string, unknown>, name: Name) {
  const value = search[name];
  return (typeof value === "string" && value !== "" ? { [name]: value } : {}) as { [Key in Name]?: string };
}
