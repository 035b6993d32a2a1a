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
  creationCredentials,
  giveCredentials,
  withCredentials,
} from "./client/credentials/give.ts";
export { loginWarning } from "./client/credentials/remedy.ts";
export { type CredentialWay, credentialWay, credentialWays } from "./client/credentials/way.ts";
export { withHostServices } from "./client/host-services.ts";
export { plugLoops } from "./client/loop.ts";
export { outwardThrough } from "./client/outward.ts";
export { applyChange } from "./egress/policy/change.ts";
