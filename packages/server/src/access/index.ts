export { ServerError } from "../errors.ts";
export { beginAudit, endAudit } from "./audit.ts";
export { issueToken, keyName, listTokens, revokeToken, type TokenRow } from "./tokens.ts";
