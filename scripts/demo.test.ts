import { spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const isRoot = process.getuid?.() === 0;

/** Whoever has no engine, and may start none: as somebody else, or as the root of a container without rights. */
const people = [
  { who: "somebody who is not root", uid: isRoot ? 65_534 : undefined, before: [], why: "needs root" },
  ...(isRoot
    ? [
        {
          who: "a root without rights",
          uid: undefined,
          before: ["setpriv", "--bounding-set=-all", "--inh-caps=-all"],
          why: "needs all rights of root",
        },
      ]
    : []),
];

it.each(people)(
  "the demo tells $who that there is no engine and offers --host, before anything is fetched or made",
  ({ uid, before, why }) => {
    const folder = freshClone(uid);
    const [program = "", ...words] = [...before, process.execPath, join(folder, "scripts/demo.mjs")];
    const { status, stdout, stderr } = spawnSync(program, words, {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, DOCKER_HOST: `unix://${folder}/nobody.sock` },
      encoding: "utf8",
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("NO ENGINE: no engine answers");
    expect(stdout).toContain(why);
    expect(stdout).toContain("npm run demo -- --host");
    expect(status).toBe(1);
    expect(readdirSync(folder)).toEqual(["scripts"]);
  },
);

/** As much of the checkout as says this: nothing is installed in it, and its owner is who runs it. */
function freshClone(uid: number | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "demo-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL(".", import.meta.url)), join(folder, "scripts"), { recursive: true });
  if (uid !== undefined) chownSync(folder, uid, uid);
  return folder;
}
