import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { type Ended, newUser, type User } from "../setup/command-line.ts";
import { covering } from "../setup/covering.ts";
import { docker } from "../setup/docker.ts";
import { modelSentence } from "../setup/model-answers.ts";
import { containerOf } from "../setup/sandbox.ts";
import { type OnlineInstance, onlineInstance } from "../setup/sandboxd.ts";
import { canHaveSmallInternet, type SmallInternet, smallInternet } from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";
import { agents, models } from "./brokered-agents.ts";

/** What is the gateway's doing is shown for one of them in turn, and for each at full size. */
const shown = covering(["usage", "revoking", "removal"] as const, agents, agents.slice(0, 3));

function isShown(subject: (typeof shown)[number][0], who: string): boolean {
  return shown.some(([each, agent]) => each === subject && agent.who === who);
}

describe.skipIf(!canHaveSmallInternet)("22 23 24 26 an agent uses a credential that it never has", () => {
  let internet: SmallInternet;

  beforeAll(async () => {
    internet = await smallInternet([...models, "evil.test"]);
  });

  describe.each(agents)("$who", ({ who, agent, secrets, canaries, command, host, route, sees }) => {
    let instance: OnlineInstance;
    let user: User;

    beforeAll(async () => {
      instance = await onlineInstance(internet, { HOME: temporaryWorkspace(), XDG_CONFIG_HOME: undefined });
      user = await newUser({ OPENTIGER_HOME: instance.home, HOME: instance.env["HOME"] });
      for (const [name, value] of Object.entries(secrets)) {
        const added = await user.run([process.execPath, secretsBundle, "add", name], {
          input: value,
        });
        expect(added).toMatchObject({ status: 0 });
      }
      const made = await user.sandbox(
        "create",
        "--name",
        agent,
        "--network",
        "deny",
        agent,
        temporaryWorkspace(),
      );
      expect(made).toMatchObject({
        status: 0,
        stderr: expect.not.stringContaining("nothing to log in") as string,
      });
    });

    test("finishes a turn under deny, and no place inside, outside or in an image of it holds the credential", async () => {
      const container = containerOf(instance, { id: idOf(instance, agent) });
      const before = internet.seen.length;
      // While it runs: its memory and that of everything it started.
      const running = user.sandbox("exec", agent, ...command);
      await until("the agent runs", async () => (await docker("top", container)).includes(agent));
      const inspected = await docker("inspect", container);
      const memory = grepProcesses(container, canaries);
      const { status, stdout, stderr } = await running;
      expect({ status, stdout, stderr }).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(modelSentence) as string,
      });
      const asked = internet.seen
        .slice(before)
        .filter(({ kind, method }) => kind === "https" && method === "POST");
      expect(asked.length).toBeGreaterThan(0);
      for (const { headers, sni } of asked) {
        expect(sni).toBe(host);
        expect(headers?.["authorization"] ?? headers?.["x-api-key"], "the model sees the real one").toBe(
          sees,
        );
      }
      const written = await layerOf(container);
      await user.sandbox("save", agent, `opentiger-test-${agent}:canary`);
      atEnd(() => docker("image", "rm", "--force", `opentiger-test-${agent}:canary`));
      const image = await docker("inspect", `opentiger-test-${agent}:canary`);
      const saved = await layerOf(`opentiger-test-${agent}:canary`);
      for (const canary of canaries) {
        expect(inspected).not.toContain(canary);
        expect(image).not.toContain(canary);
        for (const layer of [written, saved]) expect(filesWith(layer, canary)).toEqual([]);
        expect(memory).toEqual([]);
        expect(filesWith(instance.home, canary)).toEqual([]);
      }
      for (const words of [
        ["network", "log"],
        ["inspect", agent],
        ["auth", agent],
        ["usage", agent],
      ]) {
        const said = await user.sandbox(...words);
        for (const canary of canaries) expect(said.stdout + said.stderr).not.toContain(canary);
      }
    });

    test("22 a tunnel to the model with a key of the attacker's is refused and names the gateway", async () => {
      const attackers = ["-H", "x-api-key: attackers-key", "-H", "authorization: Bearer attackers-key"];
      await user.sandbox("network", "proxy", agent, "--allow-host", host);
      const before = internet.seen.length;
      const tunnel = await curl(`https://${host}/v1/models`, ...attackers);
      expect(tunnel.stdout).toMatch(/^(000|403)/);
      const through = await curl(`http://127.0.0.1:3129/${route}/models`, ...attackers);
      expect(through.stdout).toMatch(/^200/);
      const seen = internet.seen.slice(before).filter(({ kind }) => kind === "https");
      expect(JSON.stringify(seen)).not.toContain("attackers-key");
    });

    test("24 a credential that the API reflects comes back without it", async () => {
      const url = `http://127.0.0.1:3129/${route}/models`;
      const { stdout } = await user.sandbox("exec", agent, "curl", "-s", "-i", url);
      expect(stdout.toLowerCase()).toContain("x-reflected");
      for (const canary of canaries) expect(stdout).not.toContain(canary);
    });

    if (isShown("usage", who))
      test("what it used is counted, and beyond its budget the next request is refused with the reason", async () => {
        const { totals } = JSON.parse((await user.sandbox("usage", agent, "--json")).stdout) as {
          totals: { requests: number; tokens: { input: number } };
        };
        expect(totals.requests).toBeGreaterThan(0);
        expect(totals.tokens.input).toBeGreaterThanOrEqual(1000);
        expect(await user.sandbox("budget", agent, "--requests", "1")).toMatchObject({ status: 0 });
        const before = internet.seen.length;
        const { stdout, stderr } = await user.sandbox("exec", agent, ...command);
        expect(stdout).not.toContain(modelSentence);
        expect(stdout + stderr).toMatch(/requests/);
        const asked = internet.seen
          .slice(before)
          .filter(({ kind, method }) => kind === "https" && method === "POST");
        expect(asked).toEqual([]);
        expect(await user.sandbox("budget", agent, "--none")).toMatchObject({ status: 0 });
      });

    if (isShown("revoking", who))
      test("25 a revoked lease ends it with the next request, and says why", async () => {
        expect(await user.run([process.execPath, secretsBundle, "revoke", "--all"])).toMatchObject({
          status: 0,
        });
        const { status, stdout, stderr } = await user.sandbox("exec", agent, ...command);
        expect(status === 0 && stdout.includes(modelSentence)).toBe(false);
        expect(stdout + stderr).toMatch(/revoked/i);
        await user.sandbox("auth", agent, "--grant");
        expect((await user.sandbox("exec", agent, ...command)).stdout).toContain(modelSentence);
      });

    if (isShown("removal", who))
      test("33 a sandbox that is removed leaves no lease, no grant and no log behind", async () => {
        const id = idOf(instance, agent);
        const leases = async (): Promise<string> =>
          (await user.run([process.execPath, secretsBundle, "leases", "--json"])).stdout;
        expect(await leases()).toContain(agent);
        expect(await user.sandbox("rm", agent)).toMatchObject({ status: 0 });
        await until("its leases have ended", async () => !(await leases()).includes(agent));
        const kept = (): string[] =>
          readdirSync(join(instance.home, "sandboxd"), { recursive: true, encoding: "utf8" });
        await until("nothing of it is kept", () => !kept().some((name) => name.includes(id)));
      });

    function curl(url: string, ...words: string[]): Promise<Ended> {
      return user.sandbox(
        "exec",
        agent,
        "curl",
        "-s",
        "-k",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        ...words,
        url,
      );
    }
  });
});

const secretsBundle = new URL("../../packages/cli/dist/secrets.js", import.meta.url).pathname;

function idOf({ home }: OnlineInstance, name: string): string {
  const record = JSON.parse(readFileSync(join(home, "names", name), "utf8")) as { id: string };
  return record.id;
}

/** Which processes of a container have one of the words in their memory or environment. The reader is root on the host. */
function grepProcesses(container: string, words: readonly string[]): string[] {
  const script = `
import os, re, subprocess, sys
pids = subprocess.check_output(["docker", "top", sys.argv[1], "-o", "pid"], text=True).split()[1:]
words = [word.encode() for word in sys.argv[2:]]
for pid in pids:
    try:
        text = open(f"/proc/{pid}/environ", "rb").read()
        if any(word in text for word in words): print(pid, "environ")
        with open(f"/proc/{pid}/mem", "rb") as memory:
            for line in open(f"/proc/{pid}/maps"):
                found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
                if not found: continue
                start, end = (int(part, 16) for part in found.groups())
                if end - start > 1 << 30: continue
                try:
                    memory.seek(start)
                    text = memory.read(end - start)
                except (OSError, ValueError, OverflowError):
                    continue
                if any(word in text for word in words): print(pid, line.strip())
    except (FileNotFoundError, ProcessLookupError):
        continue
`;
  return execFileSync("python3", ["-c", script, container, ...words], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

/** Where the engine keeps what was written on top of an image. */
function layerOf(reference: string): Promise<string> {
  return docker("inspect", "--format", "{{.GraphDriver.Data.UpperDir}}", reference);
}

/** Files below a folder that hold the word in clear. */
function filesWith(folder: string, word: string): string[] {
  const { status, stdout, stderr } = spawnSync("grep", ["-rlF", "--devices=skip", word, folder], {
    encoding: "utf8",
  });
  if (status === null || status > 1) throw new Error(stderr);
  return stdout.split("\n").filter(Boolean);
}
