import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { loopScene } from "../git/git-fixture.ts";
import { writeArtifacts } from "./run-artifacts.ts";

const most = 64 * 1024;
const secret = "sk-canary-0123456789";
const redact = (text: string): string => text.replaceAll(secret, "[redacted]");
let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
  await place.config.patch({ OPENTIGER_ARTIFACT_SIZE: "64k" }, "test");
});

afterAll(() => place.remove());

it("what is kept of a run is redacted, within the bound, for the owner alone", async () => {
  const { own: repository, baseOid: from, derive } = await loopScene();
  const to = await derive({
    "src/key.ts": `// ${secret}\n${"// A line of it.\n".repeat(10_000)}// ${secret}\n`,
  });
  const output = `${secret}\n${"a line\n".repeat(20_000)}${secret}\n`;
  const check = {
    command: "npm test",
    test: null,
    result: "failed",
    exitCode: 1,
    output,
    durationMs: 1,
  } as const;
  const round = { tree: "as_is", commit: to, results: [check] } as const;
  const work = { place, repository, redact, run: { id: "one" } };
  const written = await writeArtifacts(work, { diff: { from, to }, round: { ...round, results: [check] } });
  expect(written.map(({ kind, path }) => [kind, basename(path)])).toEqual([
    ["diff", "diff.patch"],
    ["log", "verify.log"],
  ]);
  for (const { path, bytes } of written) {
    const text = readFileSync(path, "utf8");
    expect(text).toContain("[redacted]");
    expect(text).not.toContain("canary");
    expect(statSync(path)).toMatchObject({ size: bytes, mode: 0o100600 });
    // With a word about what is left out.
    expect(bytes).toBeLessThan(most + 100);
    expect(bytes).toBeGreaterThan(most - 100);
  }
});
