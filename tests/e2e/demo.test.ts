import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { checkoutHash, makeSampleProject } from "../../scripts/demo/sample-project.ts";
import { inCheckout } from "../../scripts/setup/checkout.mjs";
import { ended } from "../setup/command-line.ts";
import { hostAgents } from "../setup/host-agents.ts";
import { processesOf } from "../setup/processes-of.ts";
import { soak } from "../setup/soak.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

/** What `npm run demo` runs once everything is set up. It looks itself at what it tells; here it is looked at again. */
const timeoutMs = 300_000;

/** Without an engine agents work on this machine itself, and there is no sandbox to attack. */
const ways = [
  { where: "in sandboxes", words: [], stopped: 7 },
  ...(soak ? [{ where: "on this machine", words: ["--host"], stopped: 0 }] : []),
];

test.each(ways)(
  "the demo $where ends with a branch of judged commits, and nothing left behind",
  async ({ words, stopped }) => {
    const demo = await startDemo(words);
    const { status, stdout } = await demo.ended;
    expect(stdout).toContain("5 done, 5 judged, 0 failed, 0 cancelled, 0 left");
    expect(stdout).toContain("not a byte of it has changed");
    expect(stdout.match(/^ {2}stopped: /gm) ?? []).toHaveLength(stopped);
    expect(stdout).toContain("Done: nothing is left behind");
    expect(status).toBe(0);
    expect(leftOf(demo, stdout)).toEqual([]);
  },
  timeoutMs,
);

test(
  "the demo that is interrupted takes everything away that it began",
  async () => {
    const demo = await startDemo();
    let heard = "";
    demo.child.stdout.on("data", (part: Buffer) => {
      heard += part.toString();
    });
    await until("agents work", () => heard.includes("worker started"), timeoutMs);
    demo.child.kill("SIGINT");
    const { status, stdout } = await demo.ended;
    expect(stdout).toContain("Stopped: taking everything away that was begun");
    expect(status).toBe(130);
    expect(leftOf(demo, stdout)).toEqual([]);
  },
  timeoutMs,
);

test("what the demo says of the checkout is not so where a branch of the user's was moved", () => {
  const project = makeSampleProject(temporaryFolder("demo-"));
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", project, "-c", "core.logAllRefUpdates=false", ...words], {
      encoding: "utf8",
    }).trim();
  const before = checkoutHash(project);
  const other = git("commit-tree", "-p", "main", "-m", "another", "main^{tree}");
  git("update-ref", "refs/heads/tiger/k3v9x0ab", other);
  expect(checkoutHash(project)).toBe(before);
  git("update-ref", "refs/heads/main", other);
  expect(checkoutHash(project)).not.toBe(before);
});

/** In a folder of its own, in which it makes all its files, by a user whose home is empty. */
async function startDemo(words: readonly string[] = []) {
  const [folder, home] = [temporaryFolder("demo-"), temporaryFolder("demo-home-")];
  const PATH = `${await hostAgents()}:${process.env["PATH"]}`;
  const child = spawn(process.execPath, ["--import", "tsx", inCheckout("scripts/demo/demo.ts"), ...words], {
    cwd: inCheckout(),
    env: { ...process.env, PATH, TMPDIR: folder, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { folder, home, child, ended: ended(child) };
}

/** Files, processes and containers that a demo left. */
function leftOf({ folder, home }: { folder: string; home: string }, said: string): string[] {
  const [, loop = "no loop"] = /\/loops\/([a-z0-9]+)/.exec(said) ?? [];
  const listed = execFileSync("docker", ["ps", "--all", "--format", "{{.Names}}"], { encoding: "utf8" });
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return [
    ...files.filter((name) => name.startsWith("opentiger-")),
    // npm keeps its cache and its log there, whoever calls it.
    ...readdirSync(home).filter((name) => name !== ".npm"),
    ...processesOf(folder).map(({ command }) => command),
    ...listed.split("\n").filter((name) => name.includes(loop)),
  ];
}
