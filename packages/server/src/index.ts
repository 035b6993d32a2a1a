export type { App } from "./api/app.ts";
export { type ApiClient, apiClient, type ClientOptions } from "./client.ts";
export { ServerError } from "./errors.ts";
export { type RunningServer, type ServerOptions, startServer } from "./server.ts";
