import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";

/** key: of a program, until it is revoked. link: to log in with, once. session: of a browser, in its cookie. */
export const tokenKinds = ["key", "link", "session"] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** How a token is written: its kind, its id, and 256 random bits that are kept nowhere but with its holder. */
export interface Token {
  kind: TokenKind;
  id: string;
  secret: string;
}

const prefixes = { key: "otk", link: "otl", session: "ots" } as const satisfies Record<TokenKind, string>;
const written = /^(otk|otl|ots)_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;
const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

export function newToken(kind: TokenKind): Token {
  const id = Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join("");
  return { kind, id, secret: randomBytes(32).toString("base64url") };
}

export function writeToken({ kind, id, secret }: Token): string {
  return `${prefixes[kind]}_${id}_${secret}`;
}

/** undefined: this is no token, whatever it is. */
export function readToken(text: string): Token | undefined {
  const [, prefix, id = "", secret = ""] = written.exec(text) ?? [];
  const kind = tokenKinds.find((each) => prefixes[each] === prefix);
  return kind && { kind, id, secret };
}

/** Of random bits a plain hash is enough: there is nothing to guess. */
export function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Takes as long for a wrong one as for the right one. */
export function sameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
