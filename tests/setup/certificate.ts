import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Certificate {
  /** Of the authority: what a client has to trust. */
  ca: string;
  certificate: string;
  key: string;
}

/** A certificate for these names and the authority that signed it, as files in the folder. */
export async function certificateFor(folder: string, names: readonly string[]): Promise<Certificate> {
  const file = (name: string): string => join(folder, name);
  const [ca, caKey, certificate, key, request, extensions] = [
    "ca.pem",
    "ca.key",
    "server.pem",
    "server.key",
    "server.csr",
    "server.ext",
  ].map(file) as [string, string, string, string, string, string]; // Six in, six out.
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await openssl(
    "req",
    "-x509",
    ...newKey,
    "-days",
    "2",
    "-subj",
    "/CN=test authority",
    "-keyout",
    caKey,
    "-out",
    ca,
  );
  await openssl("req", ...newKey, "-subj", "/CN=test server", "-keyout", key, "-out", request);
  writeFileSync(extensions, `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}\n`);
  const sign = ["x509", "-req", "-in", request, "-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-days", "2"];
  await openssl(...sign, "-extfile", extensions, "-out", certificate);
  return { ca, certificate, key };
}

async function openssl(...words: string[]): Promise<void> {
  await run("openssl", words);
}
