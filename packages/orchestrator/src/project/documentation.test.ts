import { readFileSync } from "node:fs";
import { projectFile, reporterFormats } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { parseProjectFile } from "./read-project.ts";

const page = readFileSync(new URL("../../../../docs/project.md", import.meta.url), "utf8");

describe("docs/project.md", () => {
  it("has an example that is accepted as it stands", () => {
    const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(() => parseProjectFile(Buffer.from(example))).not.toThrow();
  });

  it("has every key of the file, and every reporter", () => {
    for (const key of Object.keys(projectFile.shape)) expect(page).toContain(`| \`${key}\` |`);
    for (const format of reporterFormats) expect(page).toContain(`| \`${format}\` |`);
  });
});
