/** What the names of secrets end with, whoever's they are. */
const secretName =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH(?:_JSON)?)$/i;

/** How the values of secrets begin that people paste: model providers, git hosts, clouds, keys, tokens, logins. */
const secretValues: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/,
  /\b(?:gh[opsur]_|github_pat_|glpat-)[A-Za-z0-9_-]{16,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAGE-SECRET-KEY-1/,
  /:\/\/[^\s/:@]*:[^\s/@]+@/,
];

/** By which a secret is known in whatever names it has, also where that is only a part of them: `accessToken`. */
const secretWord = /key|token|secret|password|credential/i;

/** Whether this is the name of something that belongs into the vault. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Whether this is, or contains, something that belongs into the vault. */
export function isSecretValue(value: unknown): boolean {
  const written = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return secretValues.some((pattern) => pattern.test(written));
}

/** Whether a value is one by its name or by itself: where too much is better cleaned away than too little. */
export function looksSecret(name: string, value: string): boolean {
  return secretWord.test(name) || isSecretValue(value);
}
