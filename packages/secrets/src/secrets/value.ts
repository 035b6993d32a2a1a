import { codexLogin } from "../credentials/codex-login.ts";
import { wellKnownSecret } from "../credentials/well-known.ts";
import { VaultError } from "../errors.ts";
import { secretLimits } from "./secret.ts";

/**
 * The bytes to keep. Those of an unknown secret are kept as they are. A well-known token goes into a header or a
 * variable, so the line end that `echo` put behind it is taken off, and what could never be one is refused.
 */
export function acceptedValue(name: string, bytes: Uint8Array): Buffer {
  if (bytes.length > secretLimits.bytes) {
    throw refused(`the value is larger than ${secretLimits.bytes} bytes`, "keep large files elsewhere");
  }
  const form = wellKnownSecret(name)?.form;
  const value = form === "line" ? withoutLineEnd(Buffer.from(bytes)) : Buffer.from(bytes);
  if (value.length === 0) {
    throw refused(
      "the value is empty",
      "see whether the command before the pipe worked; then give the value again",
    );
  }
  if (form === "line" && !isToken(value)) {
    throw refused(
      `this cannot be the value of ${name}: it is one line of printable characters without spaces`,
      "give the token alone",
    );
  }
  if (form === "codex-login" && !codexLogin(value)) {
    throw refused(
      `this cannot be the value of ${name}: it is not the content of Codex's auth.json`,
      `opentiger secrets add ${name} < ~/.codex/auth.json`,
    );
  }
  return value;
}

function withoutLineEnd(value: Buffer): Buffer {
  const text = value.toString("latin1");
  return value.subarray(0, text.length - (/[\r\n]+$/.exec(text)?.[0].length ?? 0));
}

function isToken(value: Buffer): boolean {
  return value.every((byte) => byte > 0x20 && byte < 0x7f);
}

function refused(message: string, remedy: string): VaultError {
  return new VaultError("secret_refused", message, { remedy });
}
