import { hc } from "hono/client";
import type { App } from "./api/app.ts";

export interface ClientOptions {
  /** Not needed on the server's own machine, unless it says so. */
  key?: string;
}

/** The API for programs of ours: what is asked and answered has the types of the routes. */
export function apiClient(url: string, { key }: ClientOptions = {}) {
  return hc<App>(url, key === undefined ? {} : { headers: { "x-api-key": key } });
}

export type ApiClient = ReturnType<typeof apiClient>;
