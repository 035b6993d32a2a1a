import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BuildOptions, buildWorkerImage } from "../../packages/sandbox/src/image/build.ts";
import { buildCertificates } from "../../packages/sandbox/src/image/certificates.ts";
import { buildContext } from "../../packages/sandbox/src/image/context.ts";
import { debianBaseImage } from "../../packages/sandbox/src/image/debian-base.ts";
import { findImage, imageLabels } from "../../packages/sandbox/src/image/labels.ts";
import { defaultWorkerImage } from "../../packages/sandbox/src/image/name.ts";
import type { BuildEvent } from "../../packages/sandbox/src/image/progress.ts";
import { dockerfilePath, recipeFiles } from "../../packages/sandbox/src/image/recipe.ts";
import { templates } from "../../packages/sandbox/src/image/templates.ts";
import { soak } from "../setup/soak.ts";

const run = promisify(execFile);
const docker = new Docker();
const testTags = ["claude", "plain", "saved", "cancelled"].map((tag) => `opentiger-test/worker:${tag}`);

/** The base that this engine's worker image was made with: debian where it was made without a registry. */
let base: NonNullable<BuildOptions["base"]>;

beforeAll(async () => {
  base = (await findImage(docker, debianBaseImage)) ? "debian" : "registry";
  await buildWorkerImage({ docker, base });
});

afterAll(async () => {
  for (const tag of testTags) {
    if (await findImage(docker, tag)) await docker.getImage(tag).remove({ force: true });
  }
});

/** The image's own user is who all other sandboxes of these tests are used by. */
const users = soak ? [1000, 4321] : [4321];

describe.each(users)("A9 B9 the worker image, used by uid %i without a network", (uid) => {
  it("runs the three agents at the versions of the Dockerfile, and every tool", async () => {
    const lines = tools.map(([name, command]) => `printf '%s\\t' '${name}'; ${command} 2>&1 | head -n 1`);
    const { stdout } = await inImage(uid, lines.join("\n"));
    const said = new Map(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split("\t", 2) as [string, string]),
    );
    for (const [name, , expected] of tools) expect(said.get(name), name).toMatch(expected);
    const version = await pinnedVersions();
    expect(said.get("claude")).toContain(version("CLAUDE"));
    expect(said.get("codex")).toContain(version("CODEX"));
    expect(said.get("opencode")).toContain(version("OPENCODE"));
    expect(said.get("node")).toBe(`v${version("NODE")}`);
  });

  it("has uv, or says that it could not be had when the image was made", async () => {
    const { stdout } = await inImage(
      uid,
      "cat /usr/local/share/opentiger/left-out; uv --version 2>/dev/null || true",
    );
    expect(stdout).toMatch(/^(uv \d+\.\d+|uv: PyPI was not reachable)/);
  });

  it("has a HOME that it may write, and builds a native module", async () => {
    const { stdout } = await inImage(uid, `touch ~/mine && stat -c %a ~ && ${nativeModule}`);
    expect(stdout).toMatch(/^777\n/);
    expect(stdout).toMatch(/answer 42\n$/);
  });

  it("B9 installs programs without root, which are there for any uid after a save", async () => {
    const name = `opentiger-test-save-${uid}`;
    const script = `mkdir /tmp/hi && cd /tmp/hi && ${greeter} && npm install --global --silent /tmp/hi && hi`;
    try {
      await run("docker", [
        "run",
        "--name",
        name,
        "--network",
        "none",
        "-u",
        `${uid}:${uid}`,
        defaultWorkerImage,
        "sh",
        "-ec",
        script,
      ]);
      await run("docker", ["commit", name, "opentiger-test/worker:saved"]);
    } finally {
      await run("docker", ["rm", "-f", name]);
    }
    const { stdout } = await inImage(5555, "hi", "opentiger-test/worker:saved");
    expect(stdout).toBe("hello\n");
  });
});

describe("A9 B9 the worker image", () => {
  it("is the user worker's, starts a shell, and holds neither caches nor the build's certificates", async () => {
    const { Config } = await docker.getImage(defaultWorkerImage).inspect();
    expect(Config).toMatchObject({
      User: "worker",
      Cmd: ["bash"],
      Entrypoint: null,
      WorkingDir: "/home/worker",
    });
    expect(Object.keys(Config.Labels ?? {}).sort()).toEqual(Object.values(imageLabels).sort());
    const folders = "/tmp /var/lib/apt/lists /var/cache/apt /usr/local/share/ca-certificates";
    const leftovers = `find ${folders} -mindepth 1; find /root -name .npm`;
    const { stdout } = await inImage(0, `id worker; ${leftovers}`);
    expect(stdout.trim()).toBe("uid=1000(worker) gid=1000(worker) groups=1000(worker)");
  });

  it("has the system's programs before those that an agent could plant", async () => {
    const { stdout } = await inImage(
      1000,
      "printf '#!/bin/sh\\necho planted\\n' > ~/.local/bin/node; chmod +x ~/.local/bin/node; node -v",
    );
    expect(stdout).toMatch(/^v\d/);
  });

  it("B9 has the program of each template that it is for", async () => {
    const binaries = Object.values(templates).flatMap((template) =>
      template.inWorkerImage ? [template.binary] : [],
    );
    const { stdout } = await inImage(1000, binaries.map((binary) => `command -v ${binary}`).join("\n"));
    expect(stdout.trim().split("\n")).toHaveLength(4);
  });

  it("B9 is built for one agent on demand", async () => {
    const built = await buildWorkerImage({
      docker,
      base,
      agents: ["claude"],
      tag: "opentiger-test/worker:claude",
    });
    const full = await buildWorkerImage({ docker, base });
    expect(built.bytes).toBeLessThan(full.bytes - 500e6);
    const { stdout } = await inImage(
      1000,
      "claude --version; command -v codex opencode || echo none",
      built.tag,
    );
    expect(stdout).toMatch(/Claude Code\)\nnone\n$/);
  });
});

describe("A9 building the worker image", () => {
  it("by plain docker build, with the legacy builder, gives the same layers", {
    timeout: 600_000,
  }, async () => {
    const context = await mkdtemp(join(tmpdir(), "opentiger-context-"));
    try {
      await unpack(context);
      const args = ["build", "-q", "-f", dockerfilePath, "-t", "opentiger-test/worker:plain"];
      const baseArgs = base === "debian" ? ["--build-arg", `BASE=${debianBaseImage}`] : [];
      await run("docker", [...args, ...baseArgs, "."], {
        cwd: context,
        env: { ...process.env, DOCKER_BUILDKIT: "0" },
      });
    } finally {
      await rm(context, { recursive: true });
    }
    const [plain, ours] = await Promise.all([
      layers("opentiger-test/worker:plain"),
      layers(defaultWorkerImage),
    ]);
    expect(plain).toEqual(ours);
  });

  it("again does nothing; the upper-case name of the documents is lowered, and said once", async () => {
    const events: BuildEvent[] = [];
    const build = () =>
      buildWorkerImage({
        docker,
        base,
        tag: "openTiger/worker:latest",
        onProgress: (event) => events.push(event),
      });
    expect(await build()).toMatchObject({ tag: defaultWorkerImage, built: false });
    expect(await build()).toMatchObject({ tag: defaultWorkerImage, built: false });
    expect(events.map((event) => event.kind === "note" && event.text)).toEqual([
      expect.stringContaining('using "opentiger/worker:latest" for "openTiger/worker:latest"'),
      "opentiger/worker:latest is up to date.",
      "opentiger/worker:latest is up to date.",
    ]);
  });

  it("can be cancelled, and leaves what was under the tag", async () => {
    await docker.getImage(defaultWorkerImage).tag({ repo: "opentiger-test/worker", tag: "cancelled" });
    const tag = "opentiger-test/worker:cancelled";
    const before = await findImage(docker, tag);
    const abort = new AbortController();
    const onProgress = (event: BuildEvent) => event.kind === "step" && event.step > 2 && abort.abort();
    const build = buildWorkerImage({
      docker,
      base,
      agents: ["codex"],
      tag,
      signal: abort.signal,
      onProgress,
    });
    await expect(build).rejects.toMatchObject({ code: "cancelled" });
    expect(await findImage(docker, tag)).toEqual(before);
  });

  it("without an engine is an error that says so", async () => {
    const nowhere = new Docker({ socketPath: join(tmpdir(), "no-engine-here.sock") });
    await expect(buildWorkerImage({ docker: nowhere })).rejects.toMatchObject({
      code: "engine_unavailable",
      remedy: expect.stringContaining("DOCKER_HOST"),
    });
  });
});

const tools: readonly (readonly [name: string, command: string, expected: RegExp])[] = [
  ["claude", "claude --version", /Claude Code/],
  ["codex", "codex --version", /^codex-cli /],
  ["opencode", "opencode --version", /^\d+\.\d+\.\d+$/],
  ["node", "node --version", /^v\d+/],
  ["npm", "npm --version", /^\d+\./],
  ["pnpm", "pnpm --version", /^\d+\./],
  ["yarn", "yarn --version", /^1\./],
  ["bun", "bun --version", /^\d+\./],
  ["git", "git --version", /^git version/],
  ["git-lfs", "git lfs version", /^git-lfs\//],
  ["rg", "rg --version", /^ripgrep/],
  ["python", "python3 --version", /^Python 3/],
  ["pip", "pip --version", /^pip /],
  ["venv", "python3 -m venv /tmp/venv && /tmp/venv/bin/python --version", /^Python 3/],
  ["gcc", "gcc --version", /^gcc/],
  ["g++", "g++ --version", /^g\+\+/],
  ["make", "make --version", /^GNU Make/],
  ["pkg-config", "pkg-config --version", /^\d/],
  ["jq", "jq --version", /^jq-/],
  ["curl", "curl --version", /^curl/],
  ["ssh", "command -v ssh", /^\/usr\/bin\/ssh$/],
  ["ps", "ps --version", /procps/],
  ["setpriv", "setpriv --version", /util-linux/],
  ["choom", "choom --version", /util-linux/],
  ["xz", "xz --version", /^xz/],
  ["unzip", "unzip -v", /^UnZip/],
  ["tar", "tar --version", /^tar/],
  ["less", "less --version", /^less/],
];

const greeter = `echo '{"name":"hi","version":"1.0.0","bin":"hi.sh"}' > package.json && printf '#!/bin/sh\\necho hello\\n' > hi.sh`;

const nativeModule = `mkdir /tmp/native && cd /tmp/native
echo '{"name":"native","version":"1.0.0","gypfile":true}' > package.json
echo '{"targets":[{"target_name":"native","sources":["native.c"]}]}' > binding.gyp
cat > native.c <<'END'
#include <node_api.h>
static napi_value init(napi_env env, napi_value exports) {
  napi_value answer;
  napi_create_int32(env, 42, &answer);
  return answer;
}
NAPI_MODULE(native, init)
END
npm install --silent --foreground-scripts=false >/dev/null && node -p '"answer " + require("./build/Release/native.node")'`;

function inImage(uid: number, script: string, image: string = defaultWorkerImage) {
  const args = ["run", "--rm", "--network", "none", "-u", `${uid}:${uid}`, image, "sh", "-ec", script];
  return run("docker", args);
}

async function pinnedVersions(): Promise<(name: string) => string> {
  const dockerfile = await readFile(join(import.meta.dirname, "../..", dockerfilePath), "utf8");
  return (name) => new RegExp(`^ARG ${name}_VERSION=(.+)$`, "m").exec(dockerfile)?.[1] ?? "not pinned";
}

/** The context as a user's clone has it, with the certificates that the network of this machine may need. */
async function unpack(folder: string): Promise<void> {
  const tar = spawn("tar", ["-x", "-C", folder], { stdio: ["pipe", "inherit", "inherit"] });
  const closed = once(tar, "close");
  const files = [...(await recipeFiles()), ...(await buildCertificates(process.env))];
  await pipeline(buildContext(files), tar.stdin);
  expect(await closed).toEqual([0, null]);
}

async function layers(tag: string): Promise<string[]> {
  const image = await docker.getImage(tag).inspect();
  return image.RootFS.Layers ?? [];
}
