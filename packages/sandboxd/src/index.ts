export {
  learnedRules,
  listedPort,
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
  sandboxdProtocol,
  sandboxUsage,
} from "./api.ts";
export { Sandboxd } from "./client/client.ts";
export {
  brokerCredentials,
  creationCredentials,
  giveCredentials,
  grantCredentials,
  withCredentials,
} from "./client/credentials/give.ts";
export { handedOut } from "./client/credentials/handed-out.ts";
export type { LoginAsked } from "./client/credentials/login-places.ts";
export { opencodeLogins } from "./client/credentials/opencode-keys.ts";
export { loginRemedy, loginWarning } from "./client/credentials/remedy.ts";
export { type CredentialWay, credentialWay, credentialWays } from "./client/credentials/way.ts";
export { beginGatewayRun, type GatewayRun, type GatewayRunRequest } from "./client/gateway-run.ts";
export { withHostServices } from "./client/host-services.ts";
export { proveLogin } from "./client/login-proof.ts";
export { plugLoops } from "./client/loop.ts";
export { outwardThrough } from "./client/outward.ts";
export { claimSocket } from "./daemon/claim.ts";
export { diskFloor } from "./disk/floor.ts";
export { isModelHost } from "./egress/policy/balanced.ts";
export { applyChange } from "./egress/policy/change.ts";
export { publicRule, ruleReach } from "./egress/policy/rule-reach.ts";
export type { BudgetLimits } from "./gateway/budgets/budget.ts";
export type { LoginProof } from "./gateway/logins/proof.ts";
export type { RequestRecord } from "./gateway/metering/record.ts";
export type { Totals } from "./gateway/metering/totals.ts";
