import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import { copyIn } from "./copy-in.ts";
import { copyOut } from "./copy-out.ts";
import { localInside } from "./local-inside.ts";
import { anyTree, oldTime, readTree, temporaryFolder, writeTree } from "./tree-fixture.ts";

/** Both directions are the same rules: `docker cp` as its manual has them. */
const directions = [
  ["in", (from: string, to: string, cwd: string) => copyIn(localInside(cwd), { from, to })],
  ["out", (from: string, to: string, cwd: string) => copyOut(localInside(cwd), { from, to })],
] as const;

describe.each(directions)("copying %s", (_direction, copy) => {
  function scene(): { at: string; run: (from: string, to: string) => Promise<unknown> } {
    const at = temporaryFolder();
    writeTree(join(at, "source"), {
      "a.txt": { file: "a" },
      "sub/tool": { file: "#!", mode: 0o755 },
      l: { link: "a.txt" },
    });
    writeTree(at, {
      "one.txt": { file: "one", mode: 0o600 },
      "other.txt": { file: "other" },
      "dir/kept": { file: "k" },
    });
    return { at, run: (from, to) => copy(`${at}/${from}`, `${at}/${to}`, at) };
  }

  test("a file takes the new name, with mode and time", async () => {
    const { at, run } = scene();
    await run("one.txt", "new.txt");
    expect(readFileSync(join(at, "new.txt"), "utf8")).toBe("one");
    expect(statSync(join(at, "new.txt")).mode & 0o777).toBe(0o600);
    expect(statSync(join(at, "new.txt")).mtime).toEqual(oldTime);
  });

  test("a file replaces a file, and a link is replaced, not followed", async () => {
    const { at, run } = scene();
    symlinkSync("dir/kept", join(at, "pointer"));
    await run("one.txt", "other.txt");
    await run("one.txt", "pointer");
    expect(readFileSync(join(at, "other.txt"), "utf8")).toBe("one");
    expect(readFileSync(join(at, "pointer"), "utf8")).toBe("one");
    expect(readFileSync(join(at, "dir/kept"), "utf8")).toBe("k");
  });

  test("a file goes into a folder", async () => {
    const { at, run } = scene();
    await run("one.txt", "dir");
    expect(Object.keys(readTree(join(at, "dir")))).toEqual(["kept", "one.txt"]);
  });

  test("a folder becomes what did not exist, and goes below what did", async () => {
    const { at, run } = scene();
    await run("source", "new");
    await run("source", "dir");
    expect(readTree(join(at, "new"))).toEqual(readTree(join(at, "source")));
    expect(readTree(join(at, "dir/source"))).toEqual(readTree(join(at, "source")));
    expect(readdirSync(join(at, "dir")).sort()).toEqual(["kept", "source"]);
  });

  test("what is in a folder goes beside what is there, and replaces files of the same name", async () => {
    const { at, run } = scene();
    writeTree(join(at, "dir"), { "a.txt": { file: "older" }, "sub/mine": { file: "mine" } });
    await run("source/.", "dir");
    expect(Object.keys(readTree(join(at, "dir")))).toEqual([
      "a.txt",
      "kept",
      "l",
      "sub",
      "sub/mine",
      "sub/tool",
    ]);
    expect(readFileSync(join(at, "dir/a.txt"), "utf8")).toBe("a");
  });

  test("a link is copied as a link", async () => {
    const { at, run } = scene();
    symlinkSync("one.txt", join(at, "pointer"));
    await run("pointer", "dir/pointer");
    expect(readTree(join(at, "dir"))["pointer"]).toBe("link one.txt");
  });

  test.each([
    ["missing", "dir", "not_found"],
    ["one.txt/", "dir", "not_found"],
    ["one.txt", "absent/", "not_found"],
    ["one.txt", "absent/below", "not_found"],
    ["source", "one.txt", "already_exists"],
    ["source", "blocked", "already_exists"],
    ["one.txt", "occupied", "already_exists"],
  ])("%s → %s is %s, and nothing is left behind", async (from, to, code) => {
    const { at, run } = scene();
    writeTree(at, { "blocked/source": { file: "in the way" }, "occupied/one.txt/x": { file: "in the way" } });
    const before = readTree(at);
    await expect(run(from, to)).rejects.toMatchObject({ code, remedy: expect.any(String) });
    expect(readTree(at)).toEqual(before);
  });

  test("random trees come through unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, async (tree) => {
        const at = temporaryFolder();
        writeTree(join(at, "source"), tree);
        await copy(join(at, "source"), join(at, "copy"), at);
        expect(readTree(join(at, "copy"))).toEqual(readTree(join(at, "source")));
      }),
      { numRuns: soak ? 160 : 15 },
    );
  });

  test("a file of several megabytes is the same on the other side", async () => {
    const { at, run } = scene();
    const content = Buffer.alloc(5_000_001, "0123456789abcdef");
    writeFileSync(join(at, "large"), content);
    await run("large", "copy");
    expect(readFileSync(join(at, "copy")).equals(content)).toBe(true);
  });
});

describe("archives as streams", () => {
  test("an archive goes in as it is", async () => {
    const at = temporaryFolder();
    writeTree(join(at, "source"), { "a/b": { file: "b" } });
    mkdirSync(join(at, "to"));
    const archive = execFileSync("tar", ["-cf", "-", "-C", join(at, "source"), "."]);
    await copyIn(localInside(at), { from: Readable.from([archive]), to: "to" });
    expect(readTree(join(at, "to"))).toEqual(readTree(join(at, "source")));
  });

  test("an archive comes out that GNU tar unpacks", async () => {
    const at = temporaryFolder();
    const tree = {
      "a/b": { file: "b" },
      [`${"long".repeat(60)}/x`]: { file: "x", mode: 0o755 },
      é: { link: "a" },
    };
    writeTree(join(at, "source"), tree);
    const to = new PassThrough();
    const [archive] = await Promise.all([
      buffer(to),
      copyOut(localInside(at), { from: "source", to }).then(() => to.end()),
    ]);
    mkdirSync(join(at, "to"));
    execFileSync("tar", ["-xf", "-", "-C", join(at, "to")], { input: archive });
    expect(readTree(join(at, "to"))).toEqual(readTree(join(at, "source")));
  });

  test("a source that fails in the middle is an error, and its error", async () => {
    const at = temporaryFolder();
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(100);
      throw new Error("the pipe broke");
    }
    await expect(copyIn(localInside(at), { from: broken(), to: "." })).rejects.toThrow("the pipe broke");
  });
});

describe("cancelling", () => {
  test("an abort ends the copy and leaves nothing", async () => {
    const at = temporaryFolder();
    writeFileSync(join(at, "tar"), "#!/bin/sh\nsleep 60\n", { mode: 0o755 });
    const inside = localInside(at, { PATH: `${at}:${process.env["PATH"]}` });
    const abort = new AbortController();
    const copying = copyOut(inside, { from: "tar", to: join(at, "copy"), signal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(copying).rejects.toMatchObject({ code: "cancelled" });
    expect(readdirSync(at)).toEqual(["tar"]);
  });
});
