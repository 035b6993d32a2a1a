import { EmbeddedPostgres } from "../../packages/orchestrator/src/state/postgres/embedded-postgres.ts";

/** A process that sees to it that the server runs, and ends; somebody may kill it. */
await new EmbeddedPostgres(process.env).ensure();
