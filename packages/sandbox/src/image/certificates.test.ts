import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildCertificates } from "./certificates.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "certificates-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("only what is not well known goes into the build, one file each, once", async () => {
  const bundle = await write([rootCertificates[0] ?? "", ownAuthority, "junk", ownAuthority].join("\n"));
  const files = await buildCertificates({ NODE_EXTRA_CA_CERTS: bundle });
  expect(files.map((file) => file.path)).toEqual(["ops/docker/ca/host-1.crt"]);
  expect(files[0]?.content.toString().trim()).toBe(ownAuthority.trim());
});

it("the build's own variable comes before Node's", async () => {
  const bundle = await write(ownAuthority);
  const env = { OPENTIGER_BUILD_CA_FILE: bundle, NODE_EXTRA_CA_CERTS: join(folder, "missing.pem") };
  expect(await buildCertificates(env)).toHaveLength(1);
});

it("without either, or with a file that Node would ignore too, there are none", async () => {
  expect(await buildCertificates({})).toEqual([]);
  expect(await buildCertificates({ NODE_EXTRA_CA_CERTS: join(folder, "missing.pem") })).toEqual([]);
  const junk = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  expect(await buildCertificates({ NODE_EXTRA_CA_CERTS: await write(junk) })).toEqual([]);
});

it("a file that was named and cannot be read is an error with the remedy", async () => {
  await expect(
    buildCertificates({ OPENTIGER_BUILD_CA_FILE: join(folder, "missing.pem") }),
  ).rejects.toMatchObject({
    code: "image_build_failed",
    remedy: expect.stringContaining("OPENTIGER_BUILD_CA_FILE"),
  });
});

async function write(content: string): Promise<string> {
  const path = join(folder, "bundle.pem");
  await writeFile(path, content);
  return path;
}

const ownAuthority = `-----BEGIN CERTIFICATE-----
MIIBWTCCAQugAwIBAgIUU4WbhKcJNLMAK4xH2rzQZQhsAMEwBQYDK2VwMCExHzAd
BgNVBAMMFmF1dGhvcml0eS1vZi10aGlzLXRlc3QwIBcNMjYxMTE1MjIxOTUyWhgP
MjEyNjEwMjIyMjE5NTJaMCExHzAdBgNVBAMMFmF1dGhvcml0eS1vZi10aGlzLXRl
c3QwKjAFBgMrZXADIQCSmlj+oXQVAFmtutjYo+LXZoAfN03Z3b5HJaTQF58To6NT
MFEwHQYDVR0OBBYEFC4wjpWqKeZIfvAQQFRsn67Jd+/XMB8GA1UdIwQYMBaAFC4w
jpWqKeZIfvAQQFRsn67Jd+/XMA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EACMX4
7KYzKi0ujv5/7iEwdZ1cPfd0gOyIcDa8WDSnBHGCK1PTT6+7bP1MZk8hXIzhO3oA
tokF0WMZtNrEWctsAg==
-----END CERTIFICATE-----
`;
