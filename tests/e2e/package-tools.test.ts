import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Place, placeOf } from "../setup/place.ts";
import { newSandbox } from "../setup/sandbox.ts";
import { onlineInstance } from "../setup/sandboxd.ts";
import { canHaveSmallInternet, type SmallInternet, smallInternet } from "../setup/small-internet.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

/** All of them are of the preset; here they lead to servers of the test's. */
const hosts = { npm: "npm.jsr.io", pip: "simple.pypi.org", git: "github.com" };

describe.skipIf(!canHaveSmallInternet)("under the policy balanced", () => {
  let internet: SmallInternet;
  let place: Place;
  const workspace = temporaryWorkspace();

  beforeAll(async () => {
    internet = await smallInternet([...Object.values(hosts), "elsewhere.test"]);
    serveNpmPackage(join(internet.files, hosts.npm));
    servePythonPackage(join(internet.files, hosts.pip));
    serveRepository(join(internet.files, hosts.git));
    const ca = join(workspace, "ca.pem");
    copyFileSync(internet.ca, ca);
    const instance = await onlineInstance(internet);
    const sandbox = await newSandbox(instance, workspace, {
      network: { policy: "balanced", allowHosts: [`${hosts.git}:9000`] },
    });
    const trust = { NODE_EXTRA_CA_CERTS: ca, GIT_SSL_CAINFO: ca, PIP_CERT: ca, CURL_CA_BUNDLE: ca };
    place = placeOf(sandbox, { env: trust });
  });

  async function expectSaid(words: string, ...command: string[]): Promise<void> {
    const { code, stdout, stderr } = await place.run(command);
    expect({ code, said: stdout + stderr }).toEqual({
      code: 0,
      said: expect.stringContaining(words) as string,
    });
  }

  test("npm installs a package", async () => {
    const install = `mkdir -p npm && cd npm && npm init -y >/dev/null && npm install --registry https://${hosts.npm}/ small-package`;
    await expectSaid("added 1 package", "sh", "-c", install);
    await expectSaid("from npm", "node", "-p", "require('./npm/node_modules/small-package')");
  });

  test("pip installs a package", async () => {
    const index = `https://${hosts.pip}/simple/`;
    await expectSaid(
      "Successfully installed small-package",
      "pip",
      "install",
      "--index-url",
      index,
      "small-package",
    );
  });

  test("git over ssh reaches a port that a rule names, though ssh knows of no proxy", async () => {
    // The server gives back what it hears: a good first line of an ssh server, after which it understands nothing.
    await place.run(["timeout", "3", "git", "ls-remote", `ssh://git@${hosts.git}:9000/small.git`]);
    const heard = internet.seen.filter(({ kind }) => kind === "tcp").map(({ body }) => body);
    expect(heard.join("")).toMatch(/^SSH-2\.0-OpenSSH/);
  });

  test("git clones over HTTPS", async () => {
    await expectSaid("", "git", "clone", "-q", `https://${hosts.git}/small.git`, "cloned");
    await expectSaid("from git", "cat", "cloned/file");
  });

  test("curl, with the proxy's variables and without", async () => {
    const url = `https://${hosts.git}/hello`;
    await expectSaid("reached", "curl", "-sS", url);
    await expectSaid("reached", "env", "-u", "https_proxy", "-u", "HTTPS_PROXY", "curl", "-sS", url);
  });

  test("plain fetch of Node, told of proxies and not", async () => {
    const script = `fetch("https://${hosts.git}/hello").then((answer) => answer.text()).then(console.log)`;
    await expectSaid("reached", "node", "-e", script);
    await expectSaid("reached", "env", "NODE_USE_ENV_PROXY=", "node", "-e", script);
  });

  test("a websocket", async () => {
    const script = `const socket = new WebSocket("wss://${hosts.git}/");
      socket.onopen = () => socket.send("over there");
      socket.onmessage = ({ data }) => { console.log("echo:", data); process.exit(); };
      socket.onerror = ({ message }) => { console.log(message); process.exit(1); };`;
    await expectSaid("echo: over there", "node", "-e", script);
  });

  test("nothing else", async () => {
    await expectSaid("403", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://elsewhere.test/");
  });
});

function serveNpmPackage(folder: string): void {
  const source = temporaryFolder();
  mkdirSync(join(source, "package"));
  writeFileSync(
    join(source, "package", "package.json"),
    `{"name":"small-package","version":"1.0.0","main":"index.js"}`,
  );
  writeFileSync(join(source, "package", "index.js"), `module.exports = "from npm";\n`);
  mkdirSync(join(folder, "tarball"), { recursive: true });
  execFileSync("tar", ["-C", source, "-czf", join(folder, "tarball", "1.0.0.tgz"), "package"]);
  const dist = { tarball: `https://${hosts.npm}/tarball/1.0.0.tgz` };
  const version = { name: "small-package", version: "1.0.0", dist };
  const document = {
    name: "small-package",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": version },
  };
  writeFileSync(join(folder, "small-package"), JSON.stringify(document));
}

function servePythonPackage(folder: string): void {
  const source = temporaryFolder();
  const info = join(source, "small_package-1.0.dist-info");
  mkdirSync(info);
  writeFileSync(join(source, "small_package.py"), "said = 'from pip'\n");
  writeFileSync(join(info, "METADATA"), "Metadata-Version: 2.1\nName: small-package\nVersion: 1.0\n");
  writeFileSync(
    join(info, "WHEEL"),
    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  );
  writeFileSync(join(info, "RECORD"), "");
  const wheel = "small_package-1.0-py3-none-any.whl";
  mkdirSync(join(folder, "simple", "small-package"), { recursive: true });
  const zip = "import shutil,sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])";
  const target = join(folder, wheel);
  execFileSync("python3", ["-c", zip, target, source]);
  execFileSync("mv", [`${target}.zip`, target]);
  writeFileSync(join(folder, "simple", "small-package", "index.html"), `<a href="/${wheel}">${wheel}</a>`);
}

function serveRepository(folder: string): void {
  const source = temporaryFolder();
  const git = (...words: string[]): unknown =>
    execFileSync("git", ["-C", source, "-c", "user.name=t", "-c", "user.email=t@test", ...words]);
  git("init", "-q");
  writeFileSync(join(source, "file"), "from git\n");
  git("add", ".");
  git("commit", "-qm", "one");
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["clone", "-q", "--bare", source, join(folder, "small.git")]);
  execFileSync("git", ["-C", join(folder, "small.git"), "update-server-info"]);
}
