import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { bundledModule } from "../../../../tests/setup/bundled-program.ts";
import { temporaryFolder } from "../fixture/temporary-folder.ts";
import { instanceId } from "./instance.ts";

it("processes that ask for the instance's id at the same time get the same one", async () => {
  const folder = temporaryFolder();
  const module = await bundledModule(new URL("./instance.ts", import.meta.url));
  // All of them wait for the same word, so that they meet at the file.
  const script = `import { instanceId } from ${JSON.stringify(module)};
    process.stdout.write("ready ");
    await new Promise((resolve) => process.stdin.once("end", resolve).resume());
    process.stdout.write(instanceId(${JSON.stringify(folder)}));`;
  const children = [1, 2, 3, 4].map(() =>
    spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "pipe" }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, "readable")));
  for (const { stdin } of children) stdin.end();
  const said = await Promise.all(children.map((child) => text(child.stdout)));
  const ids = said.map((words) => words.replace("ready ", ""));
  expect(ids[0]).toMatch(/^[0-9a-f]{20}$/);
  expect(new Set(ids).size).toBe(1);
  expect(instanceId(folder)).toBe(ids[0]);
});

it("a file that holds something else is reported and not replaced: the old sandboxes would be nobody's", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "instance"), "garbage");
  expect(() => instanceId(folder)).toThrow(/does not hold an instance id/);
});
