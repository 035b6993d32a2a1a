import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundledModule } from "../../../../tests/setup/bundled-program.ts";
import { answers, claimSocket } from "./claim.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-claim-"));
  path = join(folder, "sock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the second claimer finds that somebody answers", async () => {
  const [first, second] = [createServer(), createServer()];
  const claim = await claimSocket(path, first);
  expect(claim?.holds()).toBe(true);
  expect(await claimSocket(path, second)).toBeUndefined();
  expect(claim?.holds()).toBe(true);
  claim?.release();
  first.close();
  expect(existsSync(path)).toBe(false);
});

test("a socket that a killed process left is replaced", async () => {
  await leaveDeadSocket();
  const server = createServer();
  const claim = await claimSocket(path, server);
  expect(claim?.holds()).toBe(true);
  expect(await answers(path)).toBe(true);
  server.close();
});

test("of many processes that start at once over a dead socket, one is left holding it", async () => {
  await leaveDeadSocket();
  const claimer = claiming(await bundledModule(new URL("./claim.ts", import.meta.url)));
  const claimers = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", claimer], {
      env: { ...process.env, SOCKET: path },
    }),
  );
  try {
    const won = await Promise.all(claimers.map(said));
    const winners = claimers.filter((_, index) => won[index] === "won");
    const held = winners.map(said);
    for (const child of winners) child.stdin.write("?\n");
    expect((await Promise.all(held)).filter((word) => word === "holds")).toHaveLength(1);
  } finally {
    for (const child of claimers) child.kill("SIGKILL");
  }

  function said(child: (typeof claimers)[number]): Promise<string> {
    return new Promise((resolve) =>
      child.stdout.once("data", (data: Buffer) => resolve(data.toString().trim())),
    );
  }
});

async function leaveDeadSocket(): Promise<void> {
  const listen = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`;
  const child = spawn(process.execPath, ["-e", listen]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
  expect(existsSync(path)).toBe(true);
}

/** Claims the socket and tells on request whether it still holds it. */
const claiming = (module: string): string => `
  import { createServer } from "node:net";
  import { claimSocket } from ${JSON.stringify(module)};
  const claim = await claimSocket(process.env.SOCKET, createServer());
  console.log(claim ? "won" : "lost");
  if (!claim) process.exit();
  process.stdin.on("data", () => console.log(claim.holds() ? "holds" : "replaced"));`;
