import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { attackCommand } from "../setup/attack.ts";
import { type Ended, newUser, type User } from "../setup/command-line.ts";
import { covering } from "../setup/covering.ts";
import { docker } from "../setup/docker.ts";
import { midTurn, modelSentence, waitForMe } from "../setup/model-answers.ts";
import { type PlainContainer, plainContainer } from "../setup/plain-container.ts";
import { containerOf } from "../setup/sandbox.ts";
import { type OnlineInstance, onlineInstance } from "../setup/sandboxd.ts";
import {
  addresses,
  canHaveSmallInternet,
  type Seen,
  type SmallInternet,
  smallInternet,
} from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";
import { agents, models } from "./brokered-agents.ts";
import { filesWith, placesInRunning, placesKept } from "./canary-search.ts";

/** What is the gateway's doing is shown for one of them in turn, and for each at full size. */
const shown = covering(
  ["usage", "revoking", "removal", "copying", "bypass"] as const,
  agents,
  agents.slice(0, 3),
);

function isShown(subject: (typeof shown)[number][0], who: string): boolean {
  return shown.some(([each, agent]) => each === subject && agent.who === who);
}

describe.skipIf(!canHaveSmallInternet)("attack 22 23 24 26 an agent uses a credential it never has", () => {
  let internet: SmallInternet;
  let plain: PlainContainer;

  beforeAll(async () => {
    internet = await smallInternet([...models, "evil.test"]);
    const online = ["--network", internet.network, "--dns", addresses.names];
    plain = await plainContainer(temporaryWorkspace(), {
      flags: [...online, "--tmpfs", "/run/user", "--env", `TOKEN=${plainToken}`],
      main: ["sh", "-c", 'echo "$TOKEN"; exec sleep infinity'],
    });
  });

  describe("a plain container with a credential in its environment", () => {
    test("attack 23 26 has it in every place that is searched, as has an image of it and what is made of that", async () => {
      const keep =
        'set -e; for folder in "$HOME" /dev/shm /run/user /tmp; do echo "$TOKEN" > "$folder/token"; done';
      expect(await plain.run(["sh", "-c", keep])).toMatchObject({ code: 0 });
      expect(await placesInRunning(plain.name, [plainToken])).toEqual([
        "inspect",
        "logs",
        "environ",
        "memory",
        "/dev/shm",
        "/run",
        "/tmp",
      ]);
      const tag = "opentiger-test-plain:canary";
      await docker("commit", plain.name, tag);
      atEnd(() => docker("image", "rm", "--force", tag));
      expect(await placesKept(plain.name, tag, [plainToken])).toEqual([
        "layer",
        "image",
        "layer of the image",
      ]);
      expect(await docker("run", "--rm", tag, "printenv", "TOKEN")).toBe(plainToken);
    });

    test("attack 22 24 sends a key of the attacker's to the model, and sees what the API reflects", async () => {
      const before = internet.seen.length;
      await plain.run(["curl", "-s", "-k", "-H", "x-api-key: attackers-key", modelsUrl]);
      expect(JSON.stringify(internet.seen.slice(before))).toContain("attackers-key");
      expect((await askFromPlain()).toLowerCase()).toContain(`x-reflected: bearer ${plainToken}`);
    });
  });

  async function askFromPlain(): Promise<string> {
    const ask = `curl -s -k -i -H "authorization: Bearer $TOKEN" ${modelsUrl}`;
    return (await plain.run(["sh", "-c", ask])).stdout;
  }

  describe.each(agents)("$who", ({ who, agent, secrets, canaries, command, host, route, sees }) => {
    const image = `opentiger-test-${agent}:canary`;
    let workspace: string;
    let instance: OnlineInstance;
    let user: User;

    beforeAll(async () => {
      workspace = temporaryWorkspace();
      instance = await onlineInstance(internet, { HOME: temporaryWorkspace(), XDG_CONFIG_HOME: undefined });
      user = await newUser({ OPENTIGER_HOME: instance.home, HOME: instance.env["HOME"] });
      for (const [name, value] of Object.entries(secrets)) {
        const added = await user.run([process.execPath, secretsBundle, "add", name], {
          input: value,
        });
        expect(added).toMatchObject({ status: 0 });
      }
      const made = await user.sandbox("create", "--name", agent, "--network", "deny", agent, workspace);
      expect(made).toMatchObject({
        status: 0,
        stderr: expect.not.stringContaining("nothing to log in") as string,
      });
    });

    test("finishes a turn under deny, and no place inside, outside or in an image of it holds the credential", async () => {
      const container = containerOf(instance, { id: idOf(instance, agent) });
      const before = internet.seen.length;
      const turn = await turnUnderWay();
      // It has asked the model and goes on: its memory and that of everything it started.
      expect(await placesInRunning(container, canaries)).toEqual([]);
      const { status, stdout, stderr } = await turn.goOn();
      expect({ status, stdout, stderr }).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(modelSentence) as string,
      });
      const asked = postsSince(before);
      expect(asked.length).toBeGreaterThan(1);
      for (const { headers, sni } of asked) {
        expect(sni).toBe(host);
        expect(headers?.["authorization"] ?? headers?.["x-api-key"], "the model sees the real one").toBe(
          sees,
        );
      }
      await user.sandbox("save", agent, image);
      atEnd(() => docker("image", "rm", "--force", image));
      expect(await placesKept(container, image, canaries)).toEqual([]);
      // The daemon's log is among these files.
      expect(filesWith(instance.home, "sandboxd runs")).toEqual([join(instance.home, "sandboxd", "log")]);
      for (const canary of canaries) expect(filesWith(instance.home, canary)).toEqual([]);
      const audit = await user.run([process.execPath, secretsBundle, "audit"]);
      for (const name of Object.keys(secrets)) expect(audit.stdout).toContain(name);
      for (const said of [
        audit,
        await user.sandbox("network", "log"),
        await user.sandbox("inspect", agent),
        await user.sandbox("auth", agent),
        await user.sandbox("usage", agent),
      ]) {
        expect(said).toMatchObject({ status: 0 });
        for (const canary of canaries) expect(said.stdout + said.stderr).not.toContain(canary);
      }
    });

    if (isShown("copying", who))
      test("attack 26 what is made from an image of it has no credential: the gateway refuses it", async () => {
        const made = await user.run(
          ["docker", "sandbox", "create", "--name", "copy", "-t", image, agent, temporaryWorkspace()],
          { env: { SANDBOX_CREDENTIALS: "none" } },
        );
        expect(made).toMatchObject({ status: 0 });
        const before = internet.seen.length;
        const url = `http://127.0.0.1:3129/${route}/models`;
        const { stdout } = await user.sandbox("exec", "copy", "curl", "-s", "-i", url);
        expect(stdout).toMatch(/^HTTP\/1.1 400 /);
        expect(stdout).toContain("copy was given no credentials");
        expect(internet.seen.slice(before)).toEqual([]);
        expect(await user.sandbox("rm", "copy")).toMatchObject({ status: 0 });
      });

    test("attack 22 a tunnel to the model with a key of the attacker's is refused and names the gateway", async () => {
      await user.sandbox("network", "proxy", agent, "--allow-host", host);
      const before = internet.seen.length;
      const lines = JSON.stringify([{ target: `${host}:443`, name: host }]);
      const tunnel = await user.sandbox("exec", agent, ...attackCommand("tunnel.py", lines));
      expect(JSON.parse(tunnel.stdout)).toEqual([
        {
          status: expect.stringContaining(" 403 ") as string,
          said: expect.stringContaining("use the gateway http://127.0.0.1:3129 instead") as string,
          through: null,
        },
      ]);
      expect((await curl(`https://${host}/v1/models`, ...attackers)).stdout).toBe("000");
      expect((await curl(`http://127.0.0.1:3129/${route}/models`, ...attackers)).stdout).toBe("200");
      const seen = internet.seen.slice(before).filter(({ kind }) => kind === "https");
      expect(seen).not.toEqual([]);
      expect(JSON.stringify(seen)).not.toContain("attackers-key");
    });

    if (isShown("bypass", who))
      test("attack 22 --bypass-host opens the tunnel, and says what is lost", async () => {
        const opened = await user.sandbox("network", "proxy", agent, "--bypass-host", host);
        expect(opened).toMatchObject({ status: 0, stderr: expect.stringMatching(lost) as string });
        const before = internet.seen.length;
        expect((await curl(`https://${host}/v1/models`, ...attackers)).stdout).toBe("200");
        expect(JSON.stringify(internet.seen.slice(before))).toContain("attackers-key");
        const closed = await user.sandbox("network", "proxy", agent, "--allow-host", host);
        expect(closed).toMatchObject({ status: 0, stderr: expect.not.stringMatching(lost) as string });
        expect((await curl(`https://${host}/v1/models`, ...attackers)).stdout).toBe("000");
      });

    test("attack 24 a credential that the API reflects comes back without it", async () => {
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
        const { stdout, stderr } = await user.sandbox("exec", agent, ...command("say it"));
        expect(stdout).not.toContain(modelSentence);
        expect(stdout + stderr).toMatch(/requests/);
        expect(postsSince(before)).toEqual([]);
        expect(await user.sandbox("budget", agent, "--none")).toMatchObject({ status: 0 });
      });

    if (isShown("revoking", who))
      test("attack 25 a lease that is revoked in the middle of a turn ends it with the next request, and says why", async () => {
        const turn = await turnUnderWay();
        expect(await user.run([process.execPath, secretsBundle, "revoke", "--all"])).toMatchObject({
          status: 0,
        });
        const before = internet.seen.length;
        const { stdout, stderr } = await turn.goOn();
        expect(postsSince(before)).toEqual([]);
        expect(stdout).not.toContain(modelSentence);
        expect(stdout + stderr).toMatch(/revoked/i);
        // What a plain container was given stays with it.
        expect(await askFromPlain()).toMatch(/^HTTP\/1.1 200 /);
        await user.sandbox("auth", agent, "--grant");
        expect((await user.sandbox("exec", agent, ...command("say it"))).stdout).toContain(modelSentence);
      });

    if (isShown("removal", who))
      test("attack 33 a sandbox that is removed leaves no lease, no grant and no log behind", async () => {
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

    /** The agent has asked its model, and does what it was told: it waits for us. */
    async function turnUnderWay(): Promise<{ goOn(): Promise<Ended> }> {
      const ending = user.sandbox("exec", agent, ...command(waitForMe));
      const begun = join(workspace, midTurn.begun);
      const early = await Promise.race([ending, until("the model was asked", () => existsSync(begun))]);
      if (early !== true) throw new Error(`the turn ended early: ${JSON.stringify(early)}`);
      return {
        goOn: () => {
          writeFileSync(join(workspace, midTurn.goOn), "");
          return ending;
        },
      };
    }

    function postsSince(before: number): Seen[] {
      return internet.seen.slice(before).filter(({ kind, method }) => kind === "https" && method === "POST");
    }

    function curl(url: string, ...words: string[]): Promise<Ended> {
      const own = ["-s", "-k", "-o", "/dev/null", "-w", "%{http_code}"];
      return user.sandbox("exec", agent, "curl", ...own, ...words, url);
    }
  });
});

const plainToken = "sk-ant-oat01-canary-plain-0123456789";
const modelsUrl = "https://api.anthropic.com/v1/models";
const attackers = ["-H", "x-api-key: attackers-key", "-H", "authorization: Bearer attackers-key"];
const lost = /nobody sees what is sent/;
const secretsBundle = new URL("../../packages/cli/dist/secrets.js", import.meta.url).pathname;

function idOf({ home }: OnlineInstance, name: string): string {
  const record = JSON.parse(readFileSync(join(home, "names", name), "utf8")) as { id: string };
  return record.id;
}
