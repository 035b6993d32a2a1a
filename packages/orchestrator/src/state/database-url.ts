import { OrchestratorError } from "../errors.ts";
import { searchPath } from "./session-settings.ts";

/** A PostgreSQL of the user's own. */
export interface DatabaseUrl {
  url: string;
  /** For people: without user and password. */
  where: string;
}

const variable = "OPENTIGER_DATABASE_URL";

/**
 * The database that the user named; undefined where the embedded one is used. `DATABASE_URL` is not looked at: it
 * belongs to the projects that people work on, and our tables would land in theirs.
 */
export function databaseUrl(env: NodeJS.ProcessEnv): DatabaseUrl | undefined {
  const url = env[variable]?.trim();
  if (!url) return undefined;
  // A user without a host is written for sockets, whose folder is in a parameter.
  const whole = url.replace("@/", "@localhost/");
  const parsed = URL.canParse(whole) ? new URL(whole) : undefined;
  if (parsed?.protocol !== "postgres:" && parsed?.protocol !== "postgresql:") throw noUrl();
  const { searchParams, host, pathname } = parsed;
  // What the URL says wins over what the program says, so it has to say this too.
  searchParams.set("options", `${searchParams.get("options") ?? ""} ${searchPath}`.trim());
  return { url: parsed.href, where: `${searchParams.get("host") ?? (host || "localhost")}${pathname}` };
}

/** The value is not shown: it may hold a password. */
function noUrl(): OrchestratorError {
  return new OrchestratorError("database_refused", `${variable} is not the URL of a PostgreSQL`, {
    remedy: `set ${variable} to postgres://USER:PASSWORD@HOST:5432/NAME, or unset it to use the embedded one`,
  });
}
