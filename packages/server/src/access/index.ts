export { ServerError } from "../errors.ts";
export { type AuditedAction, audited, commandLine } from "./audited.ts";
export { issueToken, keyName, listTokens, revokeToken, type TokenRow } from "./tokens.ts";
