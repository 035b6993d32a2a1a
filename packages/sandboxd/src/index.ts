export {
  learnedRules,
  type NetworkChangeRequest,
  type NetworkLogEvent,
  type NetworkLogRow,
  networkLogEvent,
  networkLogRow,
  type PublishedPort,
  publishedPort,
  type SandboxAuthStatus,
  type SandboxdStatus,
  type SandboxUsage,
  sandboxAuth,
  sandboxUsage,
} from "./api.ts";
export { Sandboxd } from "./client/client.ts";
export {
  brokerCredentials,
  type CredentialWay,
  credentialWay,
  credentialWays,
} from "./client/credentials.ts";
export { outwardThrough } from "./client/outward.ts";
