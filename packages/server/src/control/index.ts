export { type ListenAddress, listenAddress } from "../listening/listen-address.ts";
export { type EnsuredServer, ensureServer, ServerClient } from "./server-client.ts";
export type { LoginLink, ServerStatus } from "./status.ts";
