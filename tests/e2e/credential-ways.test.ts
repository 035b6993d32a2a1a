import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { newUser, type User } from "../setup/command-line.ts";
import { docker } from "../setup/docker.ts";
import { answerAsModel, modelSentence } from "../setup/model-answers.ts";
import { isRoot, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const token = "sk-ant-oat01-canary-way-0123456789";
const refreshToken = "canary-refresh-token-0123456789";
const codexLogin = JSON.stringify(chatgptLogin());
const secretsBundle = fileURLToPath(new URL("../../packages/cli/dist/secrets.js", import.meta.url));

const sayIt = ["claude", "-p", "say it", "--output-format", "text"];

/** What create says when there is nothing to be said. */
const unremarked = expect.not.stringContaining("note:") as string;

/** The model, on this machine's loopback: it says who asked, and answers everybody. */
const asked: { url: string; headers: IncomingHttpHeaders }[] = [];
const model = createServer((request, response) => {
  let body = "";
  request.on("data", (data: Buffer) => (body += data.toString()));
  request.on("end", () => {
    if (request.method === "POST") asked.push({ url: request.url ?? "", headers: request.headers });
    if (!answerAsModel(request, body, response)) response.writeHead(404).end();
  });
});
let port: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with one.
  port = (model.address() as AddressInfo).port;
});

afterAll(() => void model.close());

describe("B3 inject: the credential comes with each command", () => {
  let user: User;

  beforeAll(async () => {
    user = await newUser({ SANDBOX_CREDENTIALS: "inject" });
    await addSecret(user, "claude_setup_token", token);
    await addSecret(user, "codex_auth_json", codexLogin);
    for (const agent of ["claude", "codex"]) {
      const made = await user.sandbox("create", "--name", agent, agent, temporaryWorkspace());
      expect(made).toMatchObject({ status: 0, stderr: unremarked });
    }
  });

  test("B4 claude auth status says that it is logged in, by the token", async () => {
    const { status, stdout } = await user.sandbox("exec", "claude", "claude", "auth", "status");
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      loggedIn: true,
      authMethod: "oauth_token",
    });
  });

  test("B4 auth says which way it is, and what claude says", async () => {
    const { stdout } = await user.sandbox("auth", "claude", "--json");
    const { way, granted, agent } = JSON.parse(stdout);
    expect({ way, granted, said: JSON.parse(agent.said) }).toMatchObject({
      way: "inject",
      granted: false,
      said: { loggedIn: true, authMethod: "oauth_token" },
    });
  });

  test("B3 the model sees the token; a container, record, log or image never has it", async () => {
    const { stdout, stderr } = await user.sandbox("exec", ...claudeTurn("claude"));
    expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining(modelSentence) as string });
    expect(asked.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    await expectNowhere(user, "claude", [token]);
  });

  test("B3 while a command runs that has the token, no argument of any process on this machine does", async () => {
    const script = 'test -n "$CLAUDE_CODE_OAUTH_TOKEN" && echo has-it; read line';
    const child = user.start(["docker", "sandbox", "exec", "-i", "claude", "sh", "-c", script]);
    const closed = once(child, "close");
    let said = "";
    child.stdout?.on("data", (data: Buffer) => (said += data.toString()));
    await until("the command has the token", () => said.includes("has-it"));
    const running = argumentsOfAll();
    child.stdin?.end("\n");
    await closed;
    // The command itself is among them: its arguments can be seen.
    expect(running.filter((line) => line.includes("echo has-it")).length).toBeGreaterThan(1);
    expect(running.filter((line) => line.includes(token))).toEqual([]);
  });

  test("B3 what the user gives for a command stands", async () => {
    const print = ["claude", "sh", "-c", 'echo "$CLAUDE_CODE_OAUTH_TOKEN:$ANTHROPIC_API_KEY"'];
    expect((await user.sandbox("exec", "-e", "ANTHROPIC_API_KEY=mine", ...print)).stdout).toBe(":mine\n");
    expect((await user.sandbox("exec", ...print)).stdout).toBe(`${token}:\n`);
  });

  test("B3 many commands have one lease, under the sandbox's name", async () => {
    const { stdout } = await user.run([process.execPath, secretsBundle, "leases", "--json"]);
    expect(JSON.parse(stdout).leases).toEqual([
      expect.objectContaining({
        name: "claude_setup_token",
        holder: expect.objectContaining({ sandbox: "claude" }) as object,
      }),
      expect.objectContaining({
        name: "codex_auth_json",
        holder: expect.objectContaining({ sandbox: "codex" }) as object,
      }),
    ]);
  });

  test("B3 Codex's login is 0600 in memory, is in no image, and is there again after a restart", async () => {
    const look = ["codex", "sh", "-c", 'stat -L -c %a "$0"; stat -L -f -c %T "$0"; cat "$0"'];
    const login = [...look, "/home/worker/.codex/auth.json"];
    expect((await user.sandbox("exec", ...login)).stdout).toBe(`600\ntmpfs\n${codexLogin}`);
    const status = await user.sandbox("exec", "codex", "codex", "login", "status");
    expect(status.stdout + status.stderr).toContain("Logged in using ChatGPT");
    await expectNowhere(user, "codex", [refreshToken]);
    await user.sandbox("stop", "codex");
    expect((await user.sandbox("exec", ...login)).stdout).toBe(`600\ntmpfs\n${codexLogin}`);
  });
});

describe("A12 A13 without a subscription", () => {
  test("A12 an API key of the caller's is used, in each way", async () => {
    for (const way of ["broker", "inject", "mount"]) {
      const key = { SANDBOX_CREDENTIALS: way, ANTHROPIC_API_KEY: `key-for-${way}` };
      // The gateway asks the model where the user has it; in the other ways the command itself does.
      const user = await newUser(way === "broker" ? { ...key, ANTHROPIC_BASE_URL: modelUrl() } : key);
      const made = await user.sandbox("create", "--name", "keyed", "claude", temporaryWorkspace());
      expect(made).toMatchObject({ status: 0, stderr: unremarked });
      const turn = way === "broker" ? ["keyed", ...sayIt] : claudeTurn("keyed");
      expect((await user.sandbox("exec", ...turn)).stdout).toContain(modelSentence);
      expect(asked.at(-1)?.headers["x-api-key"]).toBe(`key-for-${way}`);
      await expectNowhere(user, "keyed", [`key-for-${way}`]);
    }
  });

  test("A13 nothing to log in with is said at create, with the remedy of the chosen way", async () => {
    const user = await newUser();
    const remedies = { broker: "claude setup-token", inject: "claude setup-token", mount: "log in" };
    for (const [way, remedy] of Object.entries(remedies)) {
      const made = await user.run(
        ["docker", "sandbox", "create", "--name", way, "claude", temporaryWorkspace()],
        { env: { SANDBOX_CREDENTIALS: way } },
      );
      expect(made).toMatchObject({
        status: 0,
        stderr: expect.stringMatching(
          new RegExp(`claude has nothing to log in with.*${remedy}.*ANTHROPIC_API_KEY`),
        ) as string,
      });
    }
  });
});

describe("A11 mount: the host's logins, read-only", () => {
  let user: User;
  let before: Record<string, string>;

  beforeAll(async () => {
    user = await newUser({ SANDBOX_CREDENTIALS: "mount" });
    writeLogin(user, ".claude", ".credentials.json", claudeLogin());
    writeLogin(user, ".config/claude", "note.txt", "of the host");
    writeLogin(user, ".codex", "auth.json", codexLogin);
    before = contents(user);
    const made = await user.sandbox("create", "--name", "mounted", "claude", temporaryWorkspace());
    expect(made).toMatchObject({ status: 0 });
    expect(made.stderr).toMatch(/^note: .*\.claude.*\.codex.*SANDBOX_CREDENTIALS=broker/m);
  });

  test("A11 the folders are where the contract says, cannot be written, and inspect says that it is weaker", async () => {
    const inspected = JSON.parse((await user.sandbox("inspect", "mounted")).stdout);
    const [found] = Array.isArray(inspected) ? inspected : [inspected];
    expect(found.weakness).toContain("can read");
    expect(found.container.mounts).toEqual(
      expect.arrayContaining(
        [".claude", ".config/claude", ".codex"].map((name) => ({
          source: join(user.home, name),
          target: `/home/worker/${name}`,
          readOnly: true,
        })),
      ),
    );
    const asked = { env: { SANDBOX_CREDENTIALS: "" } };
    const { stdout } = await user.run(["docker", "sandbox", "auth", "mounted", "--json"], asked);
    expect(JSON.parse(stdout)).toMatchObject({ way: "mount", granted: false });
    const touched = await user.sandbox("exec", "mounted", "touch", "/home/worker/.claude/x");
    expect(touched).toMatchObject({ status: 1 });
  });

  test("A11 claude and codex work with a login of another uid, and the host's files stay as they are", async () => {
    const status = await user.sandbox("exec", "mounted", "claude", "auth", "status");
    expect(JSON.parse(status.stdout)).toMatchObject({ loggedIn: true, authMethod: "claude.ai" });
    expect((await user.sandbox("exec", ...claudeTurn("mounted"))).stdout).toContain(modelSentence);
    expect(asked.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    const codex = await user.sandbox("exec", ...codexTurn("mounted"));
    expect(codex.stdout + codex.stderr).toContain(modelSentence);
    expect(asked.at(-1)?.headers.authorization).toContain("canary-access");
    expect(contents(user)).toEqual(before);
  });

  test("A11 after a restart they still do, and no image has the login", async () => {
    await expectNowhere(user, "mounted", [token, refreshToken]);
    await user.sandbox("stop", "mounted");
    const { stdout } = await user.run(["docker", "sandbox", "exec", "mounted", "claude", "auth", "status"], {
      env: { SANDBOX_CREDENTIALS: "" },
    });
    expect(JSON.parse(stdout)).toMatchObject({ loggedIn: true });
    expect(contents(user)).toEqual(before);
  });

  test("A11 a login that is renewed on the host is the next command's", async () => {
    const renewed = claudeLogin().replace(token, `${token}-renewed`);
    writeLogin(user, ".claude", ".credentials.json", renewed);
    await user.sandbox("exec", ...claudeTurn("mounted"));
    expect(asked.at(-1)?.headers.authorization).toBe(`Bearer ${token}-renewed`);
  });

  test("A11 CLAUDE_AUTH_DIR, CLAUDE_CONFIG_DIR and CODEX_AUTH_DIR lead elsewhere; a clone and a folder of keys are refused", async () => {
    const elsewhere = join(user.home, "elsewhere");
    writeLogin(user, "elsewhere", ".credentials.json", claudeLogin());
    const create = (name: string, env: NodeJS.ProcessEnv, ...words: string[]) =>
      user.run(["docker", "sandbox", "create", "--name", name, ...words, "claude", temporaryWorkspace()], {
        env,
      });
    writeLogin(user, "settings", "note.txt", "of another folder");
    const others = { CLAUDE_AUTH_DIR: elsewhere, CLAUDE_CONFIG_DIR: join(user.home, "settings") };
    expect(await create("other", others)).toMatchObject({ status: 0 });
    const mounts = (await user.sandbox("exec", "other", "cat", "/proc/self/mountinfo")).stdout;
    expect(mounts).toContain("elsewhere /home/worker/.claude ");
    expect(mounts).toContain("settings /home/worker/.config/claude ");
    writeLogin(user, ".ssh", "id", "key");
    expect(await create("keys", { CODEX_AUTH_DIR: join(user.home, ".ssh") })).toMatchObject({
      stderr: expect.stringContaining("holds credentials") as string,
    });
    expect(await create("cloned", {}, "--clone")).toMatchObject({
      stderr: expect.stringContaining("SANDBOX_CREDENTIALS=broker") as string,
    });
  });
});

/** Those of containers as well: they are processes of this machine. */
function argumentsOfAll(): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return [readFileSync(join("/proc", pid, "cmdline"), "latin1")];
    } catch {
      return [];
    }
  });
}

async function addSecret(user: User, name: string, value: string): Promise<void> {
  const added = await user.run([process.execPath, secretsBundle, "add", name], { input: value });
  expect(added).toMatchObject({ status: 0 });
}

function claudeTurn(sandbox: string): string[] {
  const variables = { ANTHROPIC_BASE_URL: modelUrl(), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const words = Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  return [...words, sandbox, ...sayIt];
}

function codexTurn(sandbox: string): string[] {
  const base = `http://host.docker.internal:${port}/v1`;
  const provider = `model_providers.x={name="x",base_url="${base}",wire_api="responses",requires_openai_auth=true}`;
  const settings = ["-c", "model_provider=x", "-c", provider];
  const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  return ["-e", `MODEL_URL=${modelUrl()}`, sandbox, "codex", "exec", ...flags, ...settings, "say it"];
}

function modelUrl(): string {
  return `http://127.0.0.1:${port}`;
}

/** Neither the engine's words about a container, nor what was written in it, nor an image of it, nor our own files. */
async function expectNowhere(user: User, name: string, words: readonly string[]): Promise<void> {
  const { stdout } = await user.sandbox("inspect", name);
  const inspected = JSON.parse(stdout);
  const [found] = Array.isArray(inspected) ? inspected : [inspected];
  const tag = `opentiger-test-way-${name}:canary`;
  // What is found where it is shows that the search finds.
  await user.sandbox("exec", name, "sh", "-c", 'echo canary-of-the-search > "$HOME/found"');
  expect(await user.sandbox("save", name, tag)).toMatchObject({ status: 0 });
  atEnd(() => docker("image", "rm", "--force", tag));
  const said = [stdout, await docker("inspect", found.container.id), await docker("inspect", tag)].join();
  const layers = await Promise.all((isRoot ? [found.container.id, tag] : []).map(layerOf));
  for (const folder of layers) expect(filesWith(folder, "canary-of-the-search")).toHaveLength(1);
  for (const word of words) {
    expect(said).not.toContain(word);
    for (const folder of [...layers, join(user.home, ".local")]) expect(filesWith(folder, word)).toEqual([]);
  }
}

/** Where the engine keeps what was written on top of an image. */
function layerOf(reference: string): Promise<string> {
  return docker("inspect", "--format", "{{.GraphDriver.Data.UpperDir}}", reference);
}

function filesWith(folder: string, word: string): string[] {
  const grep = ["-rlF", "--devices=skip", word, folder];
  const { status, stdout, stderr } = spawnSync("grep", grep, { encoding: "utf8" });
  if (status === null || status > 1) throw new Error(stderr);
  return stdout.split("\n").filter(Boolean);
}

/** As the CLIs write them: for their owner alone, in a folder for its owner alone. */
function writeLogin({ home }: User, folder: string, name: string, content: string): void {
  mkdirSync(join(home, folder), { recursive: true });
  chmodSync(join(home, folder), 0o700);
  writeFileSync(join(home, folder, name), content, { mode: 0o600 });
}

/** Everything in the login folders: names, modes, times and content. */
function contents({ home }: User): Record<string, string> {
  const found: Record<string, string> = {};
  for (const folder of [".claude", ".config/claude", ".codex"]) {
    for (const name of readdirSync(join(home, folder), { recursive: true, encoding: "utf8" })) {
      const path = join(home, folder, name);
      const { mode, mtimeMs } = statSync(path);
      const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
      found[path] = [mode, mtimeMs, hash].join(" ");
    }
  }
  return found;
}

function claudeLogin(): string {
  return JSON.stringify({
    claudeAiOauth: {
      accessToken: token,
      refreshToken,
      expiresAt: Date.parse("2100-01-01"),
      scopes: ["user:inference", "user:profile"],
      subscriptionType: "max",
    },
  });
}

function chatgptLogin() {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const auth = { chatgpt_plan_type: "plus", chatgpt_account_id: "account" };
  const claims = { exp: 4_102_444_800, email: "a@b.test", "https://api.openai.com/auth": auth };
  const jwt = (signature: string) => `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.${signature}`;
  const tokens = {
    id_token: jwt("id"),
    access_token: jwt("canary-access"),
    refresh_token: refreshToken,
    account_id: "account",
  };
  return { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, last_refresh: "2100-01-01T00:00:00Z" };
}
