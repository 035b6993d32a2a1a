import { release } from "node:os";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "./address.ts";
import { readFacts } from "./facts.ts";

const socket: Endpoint = { kind: "socket", path: "/x" };
const tcp: Endpoint = { kind: "tcp", host: "x", port: 1, tls: null };
const here = { ID: "A", DockerRootDir: "/d", KernelVersion: release(), OperatingSystem: "Debian" };

describe("where an engine is", () => {
  it.skipIf(process.platform !== "linux")("local, when it has our kernel behind a socket", () => {
    expect(readFacts(here, socket).location).toBe("local");
  });

  it("remote, over the network or when a socket leads to another kernel", () => {
    expect(readFacts(here, tcp).location).toBe("remote");
    expect(readFacts({ ...here, KernelVersion: "9.9.9-vm" }, socket).location).toBe(
      process.platform === "linux" ? "remote" : "desktop",
    );
  });

  it("Docker Desktop says so itself", () => {
    expect(readFacts({ ...here, OperatingSystem: "Docker Desktop" }, socket).location).toBe("desktop");
  });
});

describe("an engine's id", () => {
  it("is another one for another data folder: old engines of one machine share their own", () => {
    expect(readFacts(here, socket).id).toBe(readFacts({ ...here }, tcp).id);
    expect(readFacts(here, socket).id).not.toBe(readFacts({ ...here, DockerRootDir: "/e" }, socket).id);
  });
});

describe("what an engine can do", () => {
  it("is read from its security options", () => {
    const SecurityOptions = ["name=seccomp,profile=default", "name=rootless", "name=userns", "name=selinux"];
    expect(readFacts({ ...here, SecurityOptions }, socket)).toMatchObject({
      rootless: true,
      usernsRemap: true,
      selinux: true,
      ruledOomScore: false,
    });
  });

  it("is little when it says little", () => {
    expect(readFacts({}, tcp)).toMatchObject({
      rootless: false,
      runtimes: [],
      holds: { memory: false, cpus: false, pids: false },
    });
  });
});
