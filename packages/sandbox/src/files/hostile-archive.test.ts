import { existsSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import { archive, extended, type Member, sending } from "./archive-fixture.ts";
import { copyOut } from "./copy-out.ts";
import { readTree, temporaryFolder, writeTree } from "./tree-fixture.ts";

const root: Member = { name: "./", type: "5", mode: 0o755 };

interface Scene {
  at: string;
  to: string;
  unpack(members: readonly Member[]): Promise<unknown>;
}

/** A destination, with something beside it that must never change. */
function scene(): Scene {
  const at = temporaryFolder();
  writeTree(at, { "outside/secret": { file: "secret" }, "to/kept": { file: "kept" } });
  const to = join(at, "to");
  return { at, to, unpack: (members) => copyOut(sending(archive(members)), { from: "/tree", to }) };
}

describe("an archive made by an agent is refused, and nothing is left of it, when it has", () => {
  const planted: [string, Member[]][] = [
    ["an absolute name", [{ name: "/tmp/opentiger-planted", content: "x" }]],
    ["a name that leads upwards", [{ name: "./../outside/planted", content: "x" }]],
    ["a name with .. in the middle", [{ name: "a/../../outside/planted", content: "x" }]],
    ["a NUL in an extended name", [extended({ path: "a\0b" }), { name: "a", content: "x" }]],
    [
      "an extended name that leads upwards",
      [extended({ path: "../outside/planted" }), { name: "a", content: "x" }],
    ],
    [
      "a long name that leads upwards",
      [
        { name: "L", type: "L", content: "../outside/planted" },
        { name: "a", content: "x" },
      ],
    ],
    ["a link to an absolute path", [{ name: "l", type: "2", link: "/etc/passwd" }]],
    ["a link out", [{ name: "l", type: "2", link: "../outside/secret" }]],
    [
      "an extended link target that leads out",
      [extended({ linkpath: "../../outside" }), { name: "l", type: "2", link: "a" }],
    ],
    [
      "a link that leads out through another link",
      [
        { name: "d", type: "5" },
        { name: "d/up", type: "2", link: ".." },
        { name: "d/out", type: "2", link: "up/../../outside" },
      ],
    ],
    [
      "an entry through a link of its own",
      [
        { name: "d", type: "5" },
        { name: "l", type: "2", link: "d" },
        { name: "l/x", content: "x" },
      ],
    ],
    [
      "an entry through a file",
      [
        { name: "f", content: "f" },
        { name: "f/x", content: "x" },
      ],
    ],
    ["a hard link to a file of the host", [{ name: "h", type: "1", link: "/etc/passwd" }]],
    ["a hard link upwards", [{ name: "h", type: "1", link: "../outside/secret" }]],
    ["a hard link to what is already there", [{ name: "h", type: "1", link: "./kept" }]],
    [
      "a hard link to a link",
      [
        { name: "l", type: "2", link: "kept" },
        { name: "h", type: "1", link: "l" },
      ],
    ],
    ["a character device", [{ name: "null", type: "3" }]],
    ["a block device", [{ name: "disk", type: "4" }]],
    ["a FIFO", [{ name: "pipe", type: "6" }]],
    ["a GNU sparse file", [{ name: "s", type: "S", content: "x" }]],
    [
      "a sparse file in an extended header",
      [extended({ "GNU.sparse.major": "1", "GNU.sparse.name": "s" }), { name: "s", content: "x" }],
    ],
    ["an unknown type", [{ name: "u", type: "Z" }]],
    [
      "the same name twice",
      [
        { name: "a", content: "1" },
        { name: "./a", content: "2" },
      ],
    ],
    [
      "a link where a file was",
      [
        { name: "a", content: "1" },
        { name: "a", type: "2", link: "kept" },
      ],
    ],
    ["a file named like a folder", [{ name: "a/", type: "0", content: "1" }]],
    ["a negative size", [extended({ size: "-1" }), { name: "a", content: "1" }]],
    ["a size larger than the archive", [{ name: "a", content: "1", size: 10 ** 9 }]],
    ["a size of a petabyte", [extended({ size: String(10 ** 15) }), { name: "a", content: "1" }]],
    ["a name that is not UTF-8", [extended({ path: "\uFFFD" }), { name: "a", content: "1" }]],
    [
      "a name of 300 folders",
      [
        { name: "L", type: "L", content: "a/".repeat(300) },
        { name: "a", content: "x" },
      ],
    ],
  ];

  test.each(planted)("%s", async (_what, members) => {
    const { at, unpack } = scene();
    const before = readTree(at);
    await expect(unpack([root, { name: "./good", content: "good" }, ...members])).rejects.toMatchObject({
      code: "copy_refused",
      remedy: expect.any(String),
    });
    expect(readTree(at)).toEqual(before);
    expect(existsSync("/tmp/opentiger-planted")).toBe(false);
  });

  test("a stream gets none of it either", async () => {
    for (const [, members] of planted) {
      const to = new PassThrough();
      const all = buffer(to);
      const copying = copyOut(sending(archive([root, ...members])), { from: "/tree", to });
      await expect(copying).rejects.toMatchObject({ code: "copy_refused" });
      to.end();
      await all;
    }
  });

  test("more than was asked for", async () => {
    const { at, unpack } = scene();
    const before = readTree(at);
    await expect(
      unpack([
        { name: "./tree", content: "1" },
        { name: "./more", content: "2" },
      ]),
    ).rejects.toMatchObject({
      code: "copy_refused",
    });
    expect(readTree(at)).toEqual(before);
  });

  test("nothing in it, or no archive at all", async () => {
    const { at, to } = scene();
    const before = readTree(at);
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(1024), Buffer.from("no archive".repeat(200))]) {
      await expect(copyOut(sending(bytes), { from: "/tree", to })).rejects.toMatchObject({
        code: "copy_refused",
      });
    }
    expect(readTree(at)).toEqual(before);
  });

  test("a command behind it that failed", async () => {
    const { at, to } = scene();
    const before = readTree(at);
    const whole = archive([root, { name: "./good", content: "good" }]);
    await expect(copyOut(sending(whole, 2), { from: "/tree", to })).rejects.toMatchObject({
      code: "copy_refused",
    });
    expect(readTree(at)).toEqual(before);
  });
});

describe("limits", () => {
  test.each([
    [
      "bytes",
      { bytes: 100_000 },
      [
        { name: "./a", content: "x".repeat(60_000) },
        { name: "./b", content: "x".repeat(60_000) },
      ],
    ],
    [
      "bytes by hard links",
      { bytes: 100_000 },
      [
        { name: "./a", content: "x".repeat(30_000) },
        ...["b", "c", "d"].map((name) => ({ name, type: "1", link: "a" })),
      ],
    ],
    [
      "bytes by headers",
      { bytes: 100_000 },
      Array.from({ length: 300 }, () => ({ name: "g", type: "g", content: "" })),
    ],
    [
      "entries",
      { entries: 100 },
      Array.from({ length: 101 }, (_, index) => ({ name: `./${index}`, content: "" })),
    ],
  ])("too many %s are refused, and what had come is removed", async (_what, limits, members) => {
    const { at, to } = scene();
    const before = readTree(at);
    const copying = copyOut(sending(archive([root, ...members])), { from: "/tree", to, limits });
    await expect(copying).rejects.toMatchObject({
      code: "copy_refused",
      message: expect.stringContaining("limit"),
    });
    expect(readTree(at)).toEqual(before);
  });
});

describe("what is harmless", () => {
  test("loses the bits that make it run as someone else", async () => {
    const { to, unpack } = scene();
    await unpack([
      root,
      { name: "./su", content: "#!", mode: 0o6755 },
      { name: "./d", type: "5", mode: 0o3777 },
    ]);
    expect(statSync(join(to, "tree/su")).mode & 0o7777).toBe(0o755);
    expect(statSync(join(to, "tree/d")).mode & 0o7000).toBe(0);
  });

  test("has hard links as files of their own", async () => {
    const { to, unpack } = scene();
    await unpack([root, { name: "./a", content: "a" }, { name: "./b", type: "1", link: "./a" }]);
    expect(statSync(join(to, "tree/b")).nlink).toBe(1);
    expect(readTree(join(to, "tree"))["b"]).toBe(readTree(join(to, "tree"))["a"]);
  });

  test("goes on without links that lead out, where that is asked for", async () => {
    const { to } = scene();
    const bytes = archive([
      root,
      { name: "./a", content: "a" },
      { name: "./l", type: "2", link: "/usr/bin/python3" },
    ]);
    const result = await copyOut(sending(bytes), { from: "/tree", to, outsideLinks: "skip" });
    expect(result.skipped).toEqual(["l"]);
    expect(readdirSync(join(to, "tree"))).toEqual(["a"]);
  });
});

describe("links that lie at the destination already", () => {
  test("are not entered", async () => {
    const { at, to, unpack } = scene();
    mkdirSync(join(to, "tree"));
    symlinkSync("../../outside", join(to, "tree/d"));
    const before = readTree(at);
    await expect(
      unpack([root, { name: "./d", type: "5" }, { name: "./d/planted", content: "x" }]),
    ).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(readTree(at)).toEqual(before);
  });

  test("are replaced by a file, not written through", async () => {
    const { at, to, unpack } = scene();
    mkdirSync(join(to, "tree"));
    symlinkSync("../../outside/secret", join(to, "tree/f"));
    await unpack([root, { name: "./f", content: "new" }]);
    expect(readTree(join(at, "outside"))["secret"]).toContain(Buffer.from("secret").toString("base64"));
    expect(readTree(join(to, "tree"))["f"]).toContain(Buffer.from("new").toString("base64"));
  });
});

const piece = fc.constantFrom("a", "b", "c", "..", ".", "", "d e", "kept");
const path = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const member: fc.Arbitrary<Member> = fc.record({
  name: path,
  type: fc.constantFrom("0", "0", "1", "2", "2", "5", "5", "6", "7", "x", "L"),
  link: path,
  content: fc.oneof(fc.constant(""), path, fc.string({ maxLength: 600 })),
});

describe("any archive", () => {
  test("of hostile members changes nothing outside of the destination, and no link of it leads out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 8 }), async (members) => {
        const { at, to, unpack } = scene();
        const before = readTree(join(at, "outside"));
        const whole = await unpack([root, ...members]).then(
          () => true,
          () => false,
        );
        expect(readTree(join(at, "outside"))).toEqual(before);
        expect(readdirSync(at).sort()).toEqual(["outside", "to"]);
        if (!whole) expect(readdirSync(to)).toEqual(["kept"]);
        for (const name of Object.keys(readTree(to))) {
          if (existsSync(join(to, name)))
            expect(`${realpathSync(join(to, name))}/`).toContain(`${realpathSync(to)}/`);
        }
      }),
      { numRuns: soak ? 1200 : 100 },
    );
  });

  const valid = archive([
    root,
    { name: "./a", content: "a".repeat(700) },
    { name: "./zeros", content: "\0".repeat(2048) },
  ]);

  test("that is cut anywhere is an error and leaves nothing", async () => {
    const { at, to } = scene();
    const before = readTree(at);
    await fc.assert(
      fc.asyncProperty(fc.nat(valid.length - 1), async (length) => {
        await expect(
          copyOut(sending(valid.subarray(0, length)), { from: "/tree", to }),
        ).rejects.toMatchObject({
          code: "copy_refused",
        });
        expect(readTree(at)).toEqual(before);
      }),
      {
        numRuns: soak ? 800 : 70,
        examples: [[512], [1024], [2048], [2560], [3072], [4608], [5120], [valid.length - 1]],
      },
    );
  });

  test("with any byte changed writes nothing outside", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(valid.length - 1), fc.nat(255), async (index, byte) => {
        const { at, to } = scene();
        const before = readTree(join(at, "outside"));
        const changed = Buffer.from(valid);
        changed[index] = byte;
        await copyOut(sending(changed), { from: "/tree", to }).catch(() => {});
        expect(readTree(join(at, "outside"))).toEqual(before);
        expect(readdirSync(at).sort()).toEqual(["outside", "to"]);
      }),
      { numRuns: soak ? 400 : 35 },
    );
  });
});
