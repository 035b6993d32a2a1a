import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { inCheckout } from "../setup/checkout.mjs";
import { LEAN_PACKAGES } from "./packages.mjs";

/** What a program of these lines says, bundled as ours are. */
async function said(contents: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: inCheckout("packages", "orchestrator", "src") },
    bundle: true,
    platform: "node",
    format: "cjs",
    plugins: [LEAN_PACKAGES],
    write: false,
    logLevel: "error",
  });
  return JSON.parse(execFileSync(process.execPath, ["-"], { input: outputFiles[0]?.text, encoding: "utf8" }));
}

test("packages that are loaded with their first call do what they do", async () => {
  const lines = `
    import Docker from "dockerode";
    import { LineCounter, isCollection, isNode, parse, parseDocument } from "yaml";
    const lines = new LineCounter();
    const document = parseDocument("a:\\n  - 1", { lineCounter: lines });
    const list = document.contents.get("a", true);
    console.log(JSON.stringify({
      parsed: parse("a: [1]"),
      line: lines.linePos(list.range[0]).line,
      kinds: [isCollection(list), isCollection(list.items[0]), isNode(list.items[0])],
      socket: new Docker({ socketPath: "/s" }).modem.socketPath,
    }));`;
  const kinds = [true, false, true];
  expect(await said(lines)).toEqual({ parsed: { a: [1] }, line: 2, kinds, socket: "/s" });
});

test("a program that does not use what it imports starts without it, and without all that fetch needs", async () => {
  const lines = `
    import Docker from "dockerode";
    import pg from "pg";
    import { parse } from "yaml";
    import { z } from "zod";
    globalThis.kept = [Docker, parse, pg.Pool];
    const loaded = process.moduleLoadList.filter((name) => /undici|NativeModule (?:http|zlib)$/.test(name));
    console.log(JSON.stringify({ loaded, said: z.string().safeParse(1).error.issues[0].message }));`;
  expect(await said(lines)).toEqual({ loaded: [], said: expect.stringContaining("expected string") });
});
