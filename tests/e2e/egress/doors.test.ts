import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DockerBackend } from "../../../packages/sandbox/src/backends/docker/docker-backend.ts";
import { carrierFolder } from "../../../packages/sandbox/src/state/carrier-folder.ts";
import { takingInstance } from "../../setup/egress-taker.ts";
import { runIn } from "../../setup/place.ts";
import { newInstance, newSandbox } from "../../setup/sandbox.ts";
import { isRoot, rootWorkspace, temporaryWorkspace } from "../../setup/temporary-workspace.ts";
import { answer, hostServer } from "./outside.ts";

describe("the doors", () => {
  test("belong to the supervisor before any command runs, and cannot be taken over", async () => {
    const instance = await takingInstance(answer);
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    const script = `for (const port of [53, 1080, 3128, 3129])
      require("net").createServer().on("error", (e) => console.log(e.code)).listen(port, "127.0.0.1", () => console.log("taken"));`;
    const said = await runIn(sandbox, ["timeout", "5", "node", "-e", script]);
    expect(said.stdout).toBe("EADDRINUSE\n".repeat(4));
    const folder = carrierFolder(instance.home, sandbox.id);
    expect(existsSync(join(folder, "egress.sock"))).toBe(true);
    await instance.backend.remove(sandbox.name);
    expect(existsSync(folder)).toBe(false);
  });

  test.runIf(isRoot)("are out of the agent's hands also where it is root", async () => {
    const instance = await takingInstance(answer);
    const sandbox = await newSandbox(instance, rootWorkspace());
    const run = (script: string) => runIn(sandbox, ["bash", "-c", script]);
    expect((await run("id -u; curl -sS http://a.test/b")).stdout).toBe("0\na.test http://a.test/b");
    expect((await run("curl -sS --noproxy '*' http://a.test/b")).stdout).toBe("a.test /b");
    expect(
      (await run("ls /run/opentiger; curl -sS --unix-socket /run/opentiger/carrier/egress.sock http://a"))
        .code,
    ).not.toBe(0);
  });

  test("of a sandbox from the pool lead to the ports of the host that it was adopted with", async () => {
    const instance = await takingInstance(answer);
    const backend = instance.backend as DockerBackend;
    await backend.fillPool({ size: 1 });
    const port = await hostServer("host");
    const sandbox = await newSandbox(instance, "", {
      workspaces: [],
      workspaceKind: "clone",
      network: { policy: "deny", hostPorts: [port] },
    });
    expect((await backend.poolStatus()).parked).toBe(0);
    expect((await runIn(sandbox, ["curl", "-sS", `http://host.docker.internal:${port}/`])).stdout).toBe(
      "host",
    );
    expect((await runIn(sandbox, ["curl", "-sS", "http://a.test/"])).stdout).toBe("a.test http://a.test/");
  });

  test("lead nowhere while the package is used without sandboxd", async () => {
    const sandbox = await newSandbox(await newInstance(), temporaryWorkspace());
    const said = await runIn(sandbox, [
      "curl",
      "-sS",
      "-o",
      "/dev/null",
      "-w",
      "%{http_code}",
      "http://a.test/",
    ]);
    expect(said.stdout).toBe("503");
  });

  test("of an open sandbox lead to the gateway and the host only", async () => {
    const instance = await takingInstance(answer);
    const port = await hostServer("host");
    const sandbox = await newSandbox(instance, temporaryWorkspace(), {
      network: { policy: "open" },
      env: { SERVICE_URL: `http://user:secret@localhost:${port}/path?a=b` },
    });
    const run = (script: string) => runIn(sandbox, ["bash", "-c", script]);
    expect((await run("echo $SERVICE_URL")).stdout).toBe(
      `http://user:secret@host.docker.internal:${port}/path?a=b\n`,
    );
    expect((await run("curl -sS $SERVICE_URL")).stdout).toBe("host");
    expect((await run("curl -sS http://127.0.0.1:3129/")).stdout).toBe("127.0.0.1:3129 /");
    expect((await run("curl -sS -m 5 http://127.0.0.1:3128/")).code).toBe(7);
    expect((await run("env | grep -ci _proxy")).stdout.trim()).toBe("0");
    expect((await instance.backend.list()).find(({ id }) => id === sandbox.id)?.network).toBe("open");
  });
});
