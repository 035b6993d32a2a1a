import { execFileSync } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const greet = `export const greet = (name) => "Hello, " + name + "!";\n`;
const greetTest = `import assert from "node:assert";
import { test } from "node:test";
import { greet } from "./greet.mjs";
test("it names whom it greets", () => assert.match(greet("tiger"), /, tiger!$/));
`;

/** Owned by an ordinary user where we are root, as a project usually is. */
export function makeProject(folder: string): string {
  const path = join(folder, "project");
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-C", path, ...args], { stdio: "ignore" });
  execFileSync("git", ["init", "-q", path]);
  writeFileSync(join(path, "README.md"), "# A small project\n");
  writeFileSync(join(path, "greet.mjs"), greet);
  writeFileSync(join(path, "greet.test.mjs"), greetTest);
  git("add", ".");
  git("-c", "user.name=Demo", "-c", "user.email=demo@localhost", "commit", "-qm", "A small project");
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", "1000:1000", path]);
  chownSync(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  execFileSync("chmod", ["0755", folder]);
  return path;
}
