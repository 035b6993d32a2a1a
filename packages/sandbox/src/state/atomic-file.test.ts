import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../fixture/temporary-folder.ts";

it("a text of which only the start can be written is refused, and the old one stays", () => {
  const folder = temporaryFolder();
  const file = join(folder, "record.json");
  const module = new URL("atomic-file.ts", import.meta.url).href;
  const script = `
    import { writeAtomically, writeOnce } from ${JSON.stringify(module)};
    const [file] = process.argv.slice(1);
    writeAtomically(file, "old");
    for (const write of [() => writeAtomically(file, "x".repeat(9000)), () => writeOnce(file + "2", "y".repeat(9000))]) {
      try { write(); console.log("written"); } catch (error) { console.log(error.code); }
    }`;
  // The system writes what fits below the limit, says how much that was, and refuses only the rest.
  const limited = 'trap "" XFSZ; ulimit -f 4; exec "$@"';
  const words = [process.execPath, "--import", "tsx", "--input-type=module", "--eval", script, file];
  const child = spawnSync("bash", ["-c", limited, "bash", ...words], {
    encoding: "utf8",
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });

  expect(child.stderr).toBe("");
  expect(child.stdout).toBe("EFBIG\nEFBIG\n");
  expect(readFileSync(file, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["record.json"]);
});
