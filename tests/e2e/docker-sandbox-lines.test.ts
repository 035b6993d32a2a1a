import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { finish, runCommand, startModelSim } from "@opentiger/model-sim";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { type Ended, newUser, type User } from "../setup/command-line.ts";
import { docker } from "../setup/docker.ts";
import { soak } from "../setup/soak.ts";
import {
  agentUid,
  isRoot,
  rootWorkspace,
  temporaryFolder,
  temporaryWorkspace,
} from "../setup/temporary-workspace.ts";

/** Lines as people have them in their notes, to the letter, with `/path/to/project` being a folder of the test's. */
const lines = {
  version: "docker sandbox version",
  create: "docker sandbox create --name my-sandbox claude /path/to/project",
  exec: `docker sandbox exec -e "CLAUDE_CODE_OAUTH_TOKEN=..." -w /path/to/project my-sandbox \\
claude -p "implement the feature" --output-format text --dangerously-skip-permissions`,
  authStatus: 'docker sandbox exec -e "CLAUDE_CODE_OAUTH_TOKEN=$TOKEN" my-sandbox claude auth status',
  authCheck: "docker sandbox exec my-sandbox bash -c 'claude auth status'",
  secretAdd: 'secrets add claude_setup_token --value "sk-ant-oat01-..."',
  secretLease: "TOKEN=$(secrets lease claude_setup_token --ttl 1h --raw)",
  codexLogin: `docker sandbox exec my-sandbox bash -c "mkdir -p ~/.codex && cat > ~/.codex/auth.json << 'EOF'
\${AUTH}
EOF"`,
  codexCheck: "docker sandbox exec my-sandbox bash -c 'cat ~/.codex/auth.json | head -3'",
  environment: `docker sandbox exec \\
-e "CLAUDE_CODE_OAUTH_TOKEN=$TOKEN" \\
-e "NODE_ENV=development" \\
-w /path/to/project \\
my-sandbox \\
claude -p "prompt" --output-format text --dangerously-skip-permissions`,
  ls: "docker sandbox ls",
  save: "docker sandbox save my-sandbox my-agent-template:v1",
  createFast: "docker sandbox create --name fast-sandbox -t my-agent-template:v1 claude /path/to/project",
  rm: "docker sandbox rm my-sandbox",
} as const;

const workspaces = [
  { whose: "an ordinary user", make: temporaryWorkspace, owner: agentUid },
  ...(isRoot ? [{ whose: "root", make: rootWorkspace, owner: 0 }] : []),
];

describe.each(workspaces)("docker sandbox on a workspace of $whose, with a clean HOME", ({ make, owner }) => {
  let user: User;
  let project: string;
  // What does not depend on whose the files are is shown once, but for the full size.
  const isWhole = soak || owner !== 0;

  beforeAll(async () => {
    user = await newUser();
    project = make();
    // The workspace is a repository, and claude edits it.
    await sh(`git init -q "$PROJECT" && chown -R ${owner} "$PROJECT"`);
    atEnd(() => docker("image", "rm", "--force", "my-agent-template:v1").catch(() => {}));
  });

  /** In a shell, as someone would type it. */
  function sh(line: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const text = line.replaceAll("/path/to/project", '"$PROJECT"');
    return user.run(["bash", "-c", text], { env: { PROJECT: project, ...env } });
  }

  if (isWhole)
    it("B1 version is at least 0.11.0", async () => {
      const { stdout } = await sh(lines.version);
      const [, major, minor] = /(\d+)\.(\d+)\.\d+/.exec(stdout) ?? [];
      expect(Number(major) * 1000 + Number(minor)).toBeGreaterThanOrEqual(11);
    });

  it("B1 create makes it, and ls shows it", async () => {
    expect(await sh(lines.create)).toMatchObject({ status: 0, stdout: "my-sandbox\n" });
    const { stdout } = await sh(lines.ls);
    const [head, ...rows] = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/\s{2,}/));
    expect(head?.slice(0, 4)).toEqual(["SANDBOX", "AGENT", "STATUS", "WORKSPACE"]);
    expect(rows.map((row) => row.slice(0, 4))).toEqual([["my-sandbox", "claude", "running", project]]);
  });

  it("B1 B10 exec runs the real claude, with its variables and in its folder", async () => {
    const model = await startModel({
      command: 'echo "$NODE_ENV $PWD" > feature.txt',
      sentence: "The feature is there.",
    });
    const base = `docker sandbox exec -e "ANTHROPIC_BASE_URL=${model}"`;
    const first = await sh(lines.exec.replace("docker sandbox exec", base));
    expect(first).toMatchObject({ status: 0, stdout: "The feature is there.\n" });
    expect(readFileSync(join(project, "feature.txt"), "utf8")).toBe(` ${project}\n`);
    const second = await sh(lines.environment.replace("docker sandbox exec", base), { TOKEN: "t" });
    expect(second).toMatchObject({ status: 0, stdout: "The feature is there.\n" });
    expect(readFileSync(join(project, "feature.txt"), "utf8")).toBe(`development ${project}\n`);
  });

  if (isWhole)
    it("B2 B4 a leased token in the environment of an exec is a login", async () => {
      // The command lies beside the others of this package; a user has it on the PATH.
      const commands = temporaryFolder();
      symlinkSync(
        fileURLToPath(new URL("../../packages/cli/dist/secrets.js", import.meta.url)),
        join(commands, "secrets"),
      );
      const PATH = `${commands}:${process.env["PATH"]}`;
      expect(await sh(lines.secretAdd, { PATH })).toMatchObject({ status: 0 });
      const { status, stdout } = await sh(`${lines.secretLease} && ${lines.authStatus}`, { PATH });
      expect(JSON.parse(stdout)).toMatchObject({ loggedIn: true, authMethod: "oauth_token" });
      expect(status).toBe(0);
      expect(await sh("secrets delete claude_setup_token", { PATH })).toMatchObject({ status: 0 });
    });

  if (isWhole)
    it("B14 the checks of a login say what they should", async () => {
      expect((await sh(lines.authCheck)).stdout).toContain('"loggedIn": false');
      const { status, stdout } = await sh(lines.authStatus, { TOKEN: "placeholder" });
      expect(JSON.parse(stdout)).toMatchObject({ loggedIn: true, authMethod: "oauth_token" });
      expect(status).toBe(0);
      const AUTH = '{\n"auth_mode": "chatgpt"\n}';
      expect(await sh(lines.codexLogin, { AUTH })).toMatchObject({ status: 0, stderr: "" });
      expect((await sh(lines.codexCheck)).stdout).toBe(`${AUTH}\n`);
    });

  it("B8 a file made on either side is there on the other, under the same path and of the same owner", async () => {
    writeFileSync(join(project, "outside.txt"), "made outside\n");
    const script = 'cat "$0/outside.txt" && echo made inside > "$0/inside.txt"';
    expect(await user.sandbox("exec", "my-sandbox", "sh", "-c", script, project)).toMatchObject({
      status: 0,
      stdout: "made outside\n",
    });
    expect(readFileSync(join(project, "inside.txt"), "utf8")).toBe("made inside\n");
    expect(statSync(join(project, "inside.txt")).uid).toBe(owner);
  });

  it("B8 git works on both sides, and a commit made inside is a good commit outside", async () => {
    const commit =
      "git add -A && git -c user.name=A -c user.email=a@example.com commit -qm inside && git rev-parse HEAD";
    const inside = await user.sandbox("exec", "my-sandbox", "sh", "-c", commit);
    expect(inside).toMatchObject({ status: 0, stderr: "" });
    // The tests may run as root, whom git does not let into another user's repository unasked.
    const git = `git -c safe.directory='*' -C "$PROJECT"`;
    expect((await sh(`${git} rev-parse HEAD`)).stdout).toBe(inside.stdout);
    expect(await sh(`${git} fsck --strict`)).toMatchObject({ status: 0 });
    const outside = await sh(
      `${git} -c user.name=B -c user.email=b@example.com commit -q --allow-empty -m outside`,
    );
    expect(outside).toMatchObject({ status: 0 });
    expect((await user.sandbox("exec", "my-sandbox", "git", "log", "-1", "--format=%s")).stdout).toBe(
      "outside\n",
    );
  });

  it("B8 nothing else of the host is there", async () => {
    const secret = join(user.home, "secret.txt");
    writeFileSync(secret, "of the host");
    const seen = await user.sandbox(
      "exec",
      "my-sandbox",
      "sh",
      "-c",
      `cat ${secret}; ls /var/run/docker.sock; ls -A ${user.home}`,
    );
    expect(seen.stdout).toBe("");
    expect(seen.status).not.toBe(0);
  });

  if (isWhole)
    it("B9 what was installed is saved as a template, and a sandbox made of it has it", async () => {
      const install = `mkdir /tmp/tool && cd /tmp/tool && printf '#!/bin/sh\\necho it is here\\n' > tool.sh && chmod +x tool.sh \
&& echo '{"name":"some-tool","version":"1.0.0","bin":{"some-tool":"tool.sh"}}' > package.json \
&& npm pack --silent > /dev/null && npm i -g --silent --offline ./some-tool-1.0.0.tgz`;
      expect(await user.sandbox("exec", "my-sandbox", "bash", "-c", install)).toMatchObject({ status: 0 });
      expect((await sh(lines.save)).stdout).toBe("✓ Saved sandbox as my-agent-template:v1\n");
      expect(await sh(lines.createFast)).toMatchObject({ status: 0, stdout: "fast-sandbox\n" });
      expect(await user.sandbox("exec", "fast-sandbox", "some-tool")).toMatchObject({
        stdout: "it is here\n",
      });
    });

  it("B1 stop and rm print the name; afterwards it is gone", async () => {
    expect(await user.sandbox("stop", "my-sandbox")).toMatchObject({ status: 0, stdout: "my-sandbox\n" });
    expect(await sh(lines.rm)).toMatchObject({ status: 0, stdout: "my-sandbox\n" });
    expect((await sh(lines.ls)).stdout).not.toContain("my-sandbox");
    expect(await sh(lines.rm)).toMatchObject({ status: 66, stdout: "" });
  });
});

describe("the templates", () => {
  it("B9 every agent's template has its agent, and git, node, npm and bun beside it", async () => {
    const user = await newUser();
    const project = temporaryWorkspace();
    const programs = { claude: "claude", codex: "codex", opencode: "opencode", shell: "bash" };
    for (const [agent, program] of Object.entries(programs)) {
      const { stdout } = await user.sandbox("create", "-q", agent, project);
      const look = ["bash", "-c", 'command -v "$@" | wc -l', "look", program, "git", "node", "npm", "bun"];
      expect((await user.sandbox("exec", stdout.trim(), ...look)).stdout.trim()).toBe("5");
    }
  });
});

/** The model, on this machine's loopback: the sandbox reaches it by the URL that it is handed. */
async function startModel({ command, sentence }: { command: string; sentence: string }): Promise<string> {
  const sim = await startModelSim({ scenario: { steps: [runCommand(command), finish(sentence)] } });
  atEnd(() => sim.close());
  return sim.url;
}
