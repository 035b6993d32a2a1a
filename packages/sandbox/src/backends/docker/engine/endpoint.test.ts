import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeEndpoint } from "./address.ts";
import { findEndpoint } from "./endpoint.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-endpoint-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const address = (env: NodeJS.ProcessEnv, context?: string) =>
  describeEndpoint(findEndpoint(env, home, context));

describe("the engine that is meant", () => {
  it("is the context asked for, DOCKER_HOST, DOCKER_CONTEXT, the current context, in this order", () => {
    for (const name of ["asked", "named", "current"]) writeContext(name, `tcp://${name}.example:1`);
    writeFileSync(join(home, ".docker", "config.json"), JSON.stringify({ currentContext: "current" }));
    const env = { DOCKER_HOST: "tcp://host.example:1", DOCKER_CONTEXT: "named" };
    expect(address(env, "asked")).toBe("tcp://asked.example:1");
    expect(address(env)).toBe("tcp://host.example:1");
    expect(address({ DOCKER_CONTEXT: "named" })).toBe("tcp://named.example:1");
    expect(address({})).toBe("tcp://current.example:1");
    expect(address({ DOCKER_HOST: "unix:///x.sock" }, "default")).toBe("unix:///x.sock");
  });

  it("is found where DOCKER_CONFIG says", () => {
    writeContext("one", "unix:///one.sock", join(home, "elsewhere"));
    expect(address({ DOCKER_CONFIG: join(home, "elsewhere"), DOCKER_CONTEXT: "one" })).toBe(
      "unix:///one.sock",
    );
  });

  it("is refused when its context does not exist or cannot be read", () => {
    expect(() => address({}, "nowhere")).toThrow(expect.objectContaining({ code: "usage" }));
    writeContext("broken", "unix:///x");
    writeFileSync(metaPath("broken"), "{}");
    expect(() => address({}, "broken")).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

describe("an address", () => {
  it.each([
    ["unix:///run/x.sock", "unix:///run/x.sock"],
    ["tcp://10.0.0.1", "tcp://10.0.0.1:2375"],
    ["10.0.0.1:99", "tcp://10.0.0.1:99"],
    ["ssh://me@there", "ssh://me@there"],
    ["ssh://me@there:2222", "ssh://me@there:2222"],
  ])("%s is understood", (host, wanted) => {
    expect(address({ DOCKER_HOST: host })).toBe(wanted);
  });

  it.each(["npipe:////./pipe/docker_engine", "ftp://x", "tcp://", "tcp://a b"])("%s is refused", (host) => {
    expect(() => address({ DOCKER_HOST: host })).toThrow(expect.objectContaining({ code: "unsupported" }));
  });

  it("with TLS has the port and the files for it", () => {
    writeFileSync(join(home, "ca.pem"), "CA");
    const env = { DOCKER_HOST: "tcp://there", DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: home };
    expect(findEndpoint(env, home)).toEqual({
      kind: "tcp",
      host: "there",
      port: 2376,
      tls: { ca: Buffer.from("CA") },
    });
  });

  it("of a context has that context's TLS files", () => {
    writeContext("safe", "tcp://there:1");
    const folder = join(home, ".docker", "contexts", "tls", hash("safe"), "docker");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "key.pem"), "KEY");
    expect(findEndpoint({}, home, "safe")).toMatchObject({ tls: { key: Buffer.from("KEY") } });
  });
});

function writeContext(name: string, host: string, config = join(home, ".docker")): void {
  mkdirSync(join(config, "contexts", "meta", hash(name)), { recursive: true });
  const meta = { Name: name, Endpoints: { docker: { Host: host, SkipTLSVerify: false } } };
  writeFileSync(metaPath(name, config), JSON.stringify(meta));
}

function metaPath(name: string, config = join(home, ".docker")): string {
  return join(config, "contexts", "meta", hash(name), "meta.json");
}

function hash(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}
