import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { UsageError } from "../errors.ts";
import { readGiven, readPlan } from "./plan-file.ts";

it("text is read as it stands, without the mark that some editors put in front", async () => {
  const { folder } = written("\uFEFFDo it\r\nwell. Größe 日本\n");
  expect(await readGiven("file", folder)).toBe("Do it\r\nwell. Größe 日本\n");
});

it.each([
  ["UTF-16", Buffer.from("\uFEFFDo it", "utf16le")],
  ["Latin-1", Buffer.from("Größe", "latin1")],
  ["bytes that are no text", Buffer.from("a\0b")],
])("%s is refused, since what an agent would read is not what was written", async (_, bytes) => {
  const { folder } = written(bytes);
  const refused = readGiven("file", folder);
  await expect(refused).rejects.toThrow("file is not text in UTF-8");
  await expect(refused).rejects.toMatchObject({ remedy: expect.stringContaining("iconv") });
});

it("what has no end is not read to its end", async () => {
  await expect(readGiven("/dev/zero", "/")).rejects.toThrow("/dev/zero has more than 16 MB");
});

it.each(["nowhere", "."])("what cannot be read is named: %s", async (name) => {
  const { folder } = written("x");
  await expect(readGiven(name, folder)).rejects.toThrow(UsageError);
  await expect(readGiven(name, folder)).rejects.toThrow(`${name} cannot be read`);
});

it("a whole loop in place of its plan is refused with the command that shows its plan alone", async () => {
  const loop = { id: "k3v9x0ab", state: "awaiting_approval", plan: { summary: "", tasks: [] }, tasks: [] };
  const { folder } = written(JSON.stringify(loop));
  await expect(readPlan("file", folder)).rejects.toThrow(
    "this is a whole loop: give only its plan, as `opentiger loop show k3v9x0ab --json | jq .plan` prints it",
  );
});

function written(content: string | Buffer): { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "given-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "file"), content);
  return { folder };
}
