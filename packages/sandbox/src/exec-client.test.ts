import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { carrierOf } from "./exec-client.ts";
import { ensureCarrierFolder } from "./state/carrier-folder.ts";

const address = "unix:///run/here.sock";
let home: string;
let env: NodeJS.ProcessEnv;
let folder: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-lean-"));
  env = { HOME: home, OPENTIGER_HOME: join(home, "s"), DOCKER_HOST: address };
  mkdirSync(join(home, "s", "names"), { recursive: true });
  folder = ensureCarrierFolder(join(home, "s"), "0123456789ab");
  writeRecord({ engineAddress: address });
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("without the engine, a sandbox is reached", () => {
  it("by the address by which it was made, however that is said", () => {
    expect(carrierOf("box", env)).toBe(folder);
    writeContext("same", address);
    expect(carrierOf("box", { ...env, DOCKER_HOST: undefined, DOCKER_CONTEXT: "same" })).toBe(folder);
  });

  it("by no other one, since that may be another engine", () => {
    expect(carrierOf("box", { ...env, DOCKER_HOST: "unix:///run/there.sock" })).toBeUndefined();
    writeContext("other", "unix:///run/there.sock");
    expect(carrierOf("box", { ...env, DOCKER_HOST: undefined, DOCKER_CONTEXT: "other" })).toBeUndefined();
    expect(carrierOf("box", { ...env, DOCKER_HOST: undefined, DOCKER_CONTEXT: "none" })).toBeUndefined();
  });

  it("not where the record does not tell, or is of another kind", () => {
    writeRecord({});
    expect(carrierOf("box", env)).toBeUndefined();
    writeRecord({ engineAddress: address, carrier: "exec-stdio" });
    expect(carrierOf("box", env)).toBeUndefined();
    writeRecord({ engineAddress: address, state: "creating" });
    expect(carrierOf("box", env)).toBeUndefined();
    expect(carrierOf("../box", env)).toBeUndefined();
  });
});

function writeRecord(fields: Record<string, string>): void {
  const record = { id: "0123456789ab", state: "adopted", carrier: "socket", ...fields };
  writeFileSync(join(home, "s", "names", "box"), JSON.stringify(record));
}

function writeContext(name: string, host: string): void {
  const hash = createHash("sha256").update(name).digest("hex");
  const meta = join(home, ".docker", "contexts", "meta", hash);
  mkdirSync(meta, { recursive: true });
  writeFileSync(join(meta, "meta.json"), JSON.stringify({ Endpoints: { docker: { Host: host } } }));
}
