/** undefined where it is none. A parser's own message would quote what it could not parse. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a JWT says of itself. Its signature is none of our business: whoever is asked with it checks it. */
export function claimsOf(token: string): unknown {
  const payload = token.split(".")[1];
  return payload === undefined ? undefined : jsonOf(Buffer.from(payload, "base64url").toString("utf8"));
}
