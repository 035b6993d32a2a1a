import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const files = {
  "README.md": "# notes\n\n`node src/cli.mjs list` lists the notes.\n",
  "package.json": `${JSON.stringify({ name: "notes", version: "1.0.0", type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
  "src/notes.mjs": `export const notes = [
  { title: "water the plants", done: false },
  { title: "buy milk", done: true },
];
`,
  "src/commands/list.mjs": `import { notes } from "../notes.mjs";

export const list = () => notes.map(({ title, done }) => \`\${done ? "x" : " "} \${title}\`).join("\\n");
`,
  "src/cli.mjs": `const [name = "list", ...words] = process.argv.slice(2);
const command = await import(\`./commands/\${name}.mjs\`);
console.log(command[name](...words));
`,
  "test/list.test.mjs": `import assert from "node:assert";
import { test } from "node:test";
import { list } from "../src/commands/list.mjs";

test("lists every note with its mark", () => assert.equal(list(), "  water the plants\\nx buy milk"));
`,
};

/** A small repository, with one commit. */
export function makeSampleProject(folder: string): string {
  const path = join(folder, "notes");
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-C", path, ...args], { stdio: "ignore" });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  git("init", "-q", "--initial-branch=main");
  git("config", "user.name", "Demo");
  git("config", "user.email", "demo@localhost");
  git("add", ".");
  git("commit", "-qm", "A small project");
  execFileSync("chmod", ["0755", folder]);
  return path;
}

/**
 * What the user has checked out, down to index, settings and every branch of theirs: the same number as long as not a
 * byte of it has changed.
 */
export function checkoutHash(path: string): string {
  const hash = createHash("sha256");
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const name = relative(path, file);
    // New objects and the new branch are what the loop hands over, and no other ref.
    if (/^\.git\/(objects|refs\/heads\/tiger)\//.test(name) || entry.isDirectory()) continue;
    hash.update(`${name}\0`);
    hash.update(entry.isSymbolicLink() ? readlinkSync(file) : readFileSync(file));
  }
  return hash.digest("hex");
}
