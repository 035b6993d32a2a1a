import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { Journal } from "../stage/journal.ts";
import { writeArtifacts } from "./artifacts.ts";
import { failed } from "./conclusion.ts";

const most = 64 * 1024;
const secret = "sk-canary-0123456789";
const redact = (text: string): string => text.replaceAll(secret, "[redacted]");
let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
  await place.config.patch({ OPENTIGER_ARTIFACT_SIZE: "64k" }, "test");
});

afterAll(() => place.remove());

it("what a judge saw and said is kept redacted, within the bound, for the owner alone", async () => {
  const journal = new Journal(join(place.folder, "runs", "one"));
  const output = `${secret}\n${"é".repeat(most)}${secret}\n`;
  const check = {
    command: "npm test",
    test: null,
    result: "failed",
    exitCode: 1,
    output,
    durationMs: 1,
  } as const;
  const conclusion = failed([{ by: "judge", file: null, line: null, text: `It has ${secret}. ${output}` }], {
    rounds: [{ tree: "as_is", commit: "1".repeat(40), results: [check] }],
  });
  const written = await writeArtifacts({ place, journal, redact }, conclusion);
  expect(written.map(({ path }) => path)).toEqual(
    ["checks.log", "judgement.json"].map((name) => join(journal.folder, name)),
  );
  for (const { path, bytes } of written) {
    const text = readFileSync(path, "utf8");
    expect(text).toContain("[redacted]");
    expect(text).not.toContain("canary");
    expect(statSync(path)).toMatchObject({ size: bytes, mode: 0o100600 });
    expect(bytes).toBeLessThanOrEqual(most);
  }
  expect(JSON.parse(readFileSync(join(journal.folder, "judgement.json"), "utf8"))).toMatchObject({
    judgement: "fail",
    points: [
      { by: "judge", text: expect.stringMatching(/^It has \[redacted\]\. .*too much to be kept\)$/s) },
    ],
  });
});
