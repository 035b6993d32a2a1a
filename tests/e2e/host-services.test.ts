import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { commandPath } from "../../scripts/packages/command-path.mjs";
import { newUser, type User } from "../setup/command-line.ts";
import { copyPostgres } from "../setup/postgres-files.ts";
import { type OnlineInstance, onlineInstance } from "../setup/sandboxd.ts";
import { canHaveSmallInternet, type SmallInternet, smallInternet } from "../setup/small-internet.ts";
import { agentUid, temporaryWorkspace } from "../setup/temporary-workspace.ts";

interface Report {
  given: string;
  redis: string;
  own: string;
  givenAgain: string;
  forbidden: string;
  urls: string[];
}

const policies = ["open", "allow", "balanced", "deny"] as const;

describe.skipIf(!canHaveSmallInternet || !commandPath("redis-server"))(
  "A14 services of the host's loopback",
  () => {
    let internet: SmallInternet;
    let instance: OnlineInstance;
    let user: User;
    let bin: string;
    let script: string;
    const workspace = temporaryWorkspace();
    const hostData = join(workspace, "host-data");

    beforeAll(async () => {
      internet = await smallInternet(["public.test"]);
      instance = await onlineInstance(internet);
      user = await newUser({ OPENTIGER_HOME: instance.home });
      bin = copyPostgres(join(workspace, "postgres"), agentUid);
      script = join(workspace, "uses-services.mjs");
      await build({
        entryPoints: [fileURLToPath(new URL("./inside/uses-services.ts", import.meta.url))],
        outfile: script,
        bundle: true,
        platform: "node",
        format: "esm",
        banner: {
          js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
        },
        external: ["pg-native"],
        logLevel: "error",
      });
      startServices();
    });

    test.each(policies)(
      "are reached by their rewritten URLs under %s, beside a database of the sandbox's own; a third is not",
      async (policy) => {
        const name = `services-${policy}`;
        const made = await user.sandbox("create", "--name", name, "--network", policy, "shell", workspace);
        expect(made.stderr).not.toContain("docker sandbox:");
        const { status, stdout, stderr } = await user.sandbox(
          "exec",
          "-e",
          "DATABASE_URL=postgres://postgres@127.0.0.1:5432/postgres?application_name=a%20b",
          "-e",
          "REDIS_URL=redis://localhost:6379/0",
          "-e",
          "NODE_USE_ENV_PROXY=",
          name,
          "node",
          script,
          bin,
          join(workspace, `own-${policy}`),
          "7070",
        );
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        const report = JSON.parse(stdout) as Report;
        expect(report).toMatchObject({ given: hostData, givenAgain: hostData, redis: "+PONG" });
        expect(report.own).toBe(join(workspace, `own-${policy}`));
        expect(report.forbidden).toMatch(/^(error|closed)/);
        expect(report.urls).toEqual([
          "postgres://postgres@host.docker.internal:5432/postgres?application_name=a%20b",
          "redis://host.docker.internal:6379/0",
        ]);
        await user.sandbox("rm", name);
      },
    );

    /** On the machine where sandboxd runs, on 127.0.0.1 only. */
    function startServices(): void {
      const asAgent = ["setpriv", `--reuid=${agentUid}`, `--regid=${agentUid}`, "--clear-groups"] as const;
      // Killed at the end, it leaves nothing in the memory that all processes share.
      const memory = ["-c", "dynamic_shared_memory_type=mmap"];
      const init = ["-D", hostData, "-U", "postgres", "-A", "trust", "-N", ...memory];
      execFileSync(asAgent[0], [...asAgent.slice(1), join(bin, "initdb"), ...init], { stdio: "ignore" });
      internet.machine([
        ...asAgent,
        join(bin, "postgres"),
        "-D",
        hostData,
        "-k",
        hostData,
        "-c",
        "listen_addresses=127.0.0.1",
      ]);
      const redisFolder = join(workspace, "redis");
      mkdirSync(redisFolder);
      chownSync(redisFolder, agentUid, agentUid);
      internet.machine([
        ...asAgent,
        "redis-server",
        "--bind",
        "127.0.0.1",
        "--port",
        "6379",
        "--dir",
        redisFolder,
        "--save",
        "",
      ]);
      const third = `require("node:net").createServer((socket) => socket.end("third")).listen(7070, "127.0.0.1")`;
      internet.machine([process.execPath, "-e", third]);
    }
  },
);
