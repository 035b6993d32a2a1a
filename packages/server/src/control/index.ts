export { type EnsuredServer, ensureServer, ServerClient } from "./server-client.ts";
export type { LoginLink, ServerStatus } from "./status.ts";
