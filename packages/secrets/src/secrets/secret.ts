import { z } from "zod";
import { VaultError } from "../errors.ts";

/** One secret as the vault keeps it. Its id is new whenever the name is added anew: leases hold on to the id. */
export const secret = z.object({
  id: z.string(),
  name: z.string(),
  /** base64 */
  value: z.string(),
  createdAt: z.iso.datetime(),
  /** When the value was last set: its age counts from here. */
  updatedAt: z.iso.datetime(),
  /** Only where the user said so; what is known of well-known secrets is worked out when asked for. */
  expiresAt: z.iso.datetime().nullable(),
});
export type Secret = z.infer<typeof secret>;

export const secretBook = z.object({ version: z.literal(1), secrets: z.array(secret) });
export type SecretBook = z.infer<typeof secretBook>;

export const secretLimits = { count: 256, bytes: 1024 ** 2, totalBytes: 4 * 1024 ** 2 } as const;

/** No capital letters: a token pasted in place of its name is then almost never taken for one. */
const namePattern = /^[a-z][a-z0-9_.-]{0,63}$/;

/** The message does not repeat what was given: it may be the secret itself. */
export function requireName(name: string): void {
  if (namePattern.test(name)) return;
  throw new VaultError("name_invalid", "that is not a name for a secret", {
    remedy: "begin with a lowercase letter; then at most 63 lowercase letters, digits and _ . -",
  });
}

export function bytesOf({ value }: Secret): Buffer {
  return Buffer.from(value, "base64");
}

export function sizeOf({ value }: Secret): number {
  return Buffer.byteLength(value, "base64");
}
