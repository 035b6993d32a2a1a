export { OrchestratorError } from "./errors.ts";
export { SystemConfig, type SystemConfigOptions } from "./state/config/system-config.ts";
export type { Database } from "./state/database.ts";
export type { Wake } from "./state/notifications.ts";
export { type OpenOptions, openDatabase } from "./state/open-database.ts";
export { abandonedInstances, removeAbandoned } from "./state/postgres/abandoned.ts";
export { EmbeddedPostgres, type PostgresStatus } from "./state/postgres/embedded-postgres.ts";
export { allRows, firstRow, type Queryable } from "./state/rows.ts";
