export type { AuditTrail } from "./audit/audit-log.ts";
export type { AuditEvent } from "./audit/event.ts";
export { type CodexLogin, codexLogin } from "./credentials/codex-login.ts";
export { expiryWarning, type SecretState, type SecretSummary, warningDays } from "./credentials/expiry.ts";
export {
  credentialFor,
  credentialOrder,
  type Provider,
  providers,
  renewal,
  type SecretKind,
  type WellKnownName,
  type WellKnownSecret,
  wellKnownSecret,
  wellKnownSecrets,
} from "./credentials/well-known.ts";
export { VaultError } from "./errors.ts";
export { type LeaseHolder, leaseLimits } from "./leases/lease.ts";
export type { LeaseRequest, LeaseUse } from "./leases/leases.ts";
export type { LeaseSummary, Redeemed, Refusal, RefusalReason, Renewed } from "./leases/redemption.ts";
export { secretLimits } from "./secrets/secret.ts";
export type {
  LoginStatus,
  ProviderStatus,
  SecretStatus,
  VaultStatus,
  VaultWarning,
} from "./status.ts";
export { vaultKeyFile } from "./storage/key-file.ts";
export { openVault, Vault, type VaultOptions } from "./vault.ts";
