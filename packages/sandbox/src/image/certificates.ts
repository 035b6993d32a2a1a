import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import { SandboxError } from "../errors.ts";
import { certificatesFolder, type RecipeFile } from "./recipe.ts";

/**
 * The certificates that this machine trusts beyond the well-known ones, as files for the build: on a network that
 * inspects TLS nothing can be fetched without. They come from `OPENTIGER_BUILD_CA_FILE`, which must be readable,
 * else from `NODE_EXTRA_CA_CERTS`, which Node itself ignores when it is not.
 */
export async function buildCertificates(env: NodeJS.ProcessEnv): Promise<RecipeFile[]> {
  const bundle = await readBundle(env);
  const wellKnown = new Set(rootCertificates.map(fingerprint));
  const extra = new Map<string, string>();
  for (const pem of bundle.match(pemBlock) ?? []) {
    const id = fingerprint(pem);
    if (id !== undefined && !wellKnown.has(id)) extra.set(id, pem);
  }
  return [...extra.values()].map((pem, index) => ({
    path: `${certificatesFolder}/host-${index + 1}.crt`,
    mode: 0o644,
    content: Buffer.from(`${pem}\n`),
  }));
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

async function readBundle(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env["OPENTIGER_BUILD_CA_FILE"];
  const inherited = env["NODE_EXTRA_CA_CERTS"];
  if (named) {
    return readFile(named, "utf8").catch((cause: unknown) => {
      throw new SandboxError("image_build_failed", `The certificates in ${named} cannot be read.`, {
        remedy: "Set OPENTIGER_BUILD_CA_FILE to a readable PEM file, or unset it.",
        cause,
      });
    });
  }
  return inherited ? readFile(inherited, "utf8").catch(() => "") : "";
}

/** undefined for what is framed like a certificate and is none. */
function fingerprint(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch {
    return undefined;
  }
}
