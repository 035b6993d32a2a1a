import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { temporaryFolder } from "../fixture/temporary-folder.ts";
import { instanceId } from "./instance.ts";

const module = new URL("./instance.ts", import.meta.url).href;

it("processes that ask for the instance's id at the same time get the same one", async () => {
  const folder = temporaryFolder();
  // All of them wait for the same instant, so that they meet at the file.
  const at = Date.now() + 1500;
  const script = `import { instanceId } from ${JSON.stringify(module)};
    while (Date.now() < ${at}) {}
    process.stdout.write(instanceId(${JSON.stringify(folder)}));`;
  const children = [1, 2, 3, 4].map(() =>
    spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], { stdio: "pipe" }),
  );
  const ids = await Promise.all(children.map((child) => text(child.stdout)));
  expect(ids[0]).toMatch(/^[0-9a-f]{20}$/);
  expect(new Set(ids).size).toBe(1);
  expect(instanceId(folder)).toBe(ids[0]);
});

it("a file that holds something else is reported and not replaced: the old sandboxes would be nobody's", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "instance"), "garbage");
  expect(() => instanceId(folder)).toThrow(/does not hold an instance id/);
});
