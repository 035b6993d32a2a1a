import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runProgram } from "../program/main.ts";
import { opentigerProgram } from "../program/opentiger.ts";
import { type Recorded, recordedSurroundings } from "../program/recorded-surroundings.ts";

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "ot-init-"));
  mkdirSync(join(top, ".git"));
  writeFileSync(join(top, "go.mod"), "module x\n");
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

describe("init", () => {
  test("writes what was detected, and shows it", async () => {
    const { stdout, status } = await run("init", "--repo", top);
    expect(status).toBe(0);
    expect(stdout).toContain("detected  go (go.mod)");
    expect(stdout).toContain('"go test ./..."');
    expect(JSON.parse(readFileSync(join(top, "opentiger.json"), "utf8"))).toMatchObject({
      verify: ["go test ./..."],
    });
  });

  test("with --json is one document", async () => {
    const { stdout } = await run("init", "--json", "--repo", top);
    expect(JSON.parse(stdout)).toMatchObject({
      path: join(top, "opentiger.json"),
      detected: ["go (go.mod)"],
    });
  });

  test("leaves a file that is there alone, and says how to replace it", async () => {
    writeFileSync(join(top, "opentiger.json"), "{}");
    const { stderr, status } = await run("init", "--repo", top);
    expect(status).toBe(73);
    expect(stderr).toContain("opentiger init --force");
    expect(readFileSync(join(top, "opentiger.json"), "utf8")).toBe("{}");
    expect((await run("init", "--force", "--repo", top)).status).toBe(0);
  });
});

async function run(...words: string[]): Promise<Recorded> {
  const recorded = recordedSurroundings({ invocation: "opentiger sandbox" });
  const { surroundings } = recorded;
  const root = await opentigerProgram(surroundings, words);
  await runProgram({ root, words, surroundings, sandboxNames: () => [] });
  return recorded;
}
