import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { onTestFinished } from "vitest";

/** A tree of a test: paths to content, to a link's target, or to nothing for a folder. */
export type Tree = Record<string, { file: string; mode?: number } | { link: string } | "folder">;

/** A time that is not now, so that a test sees whether it was kept. */
export const oldTime = new Date("2001-02-03T04:05:06Z");

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "opentiger-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeTree(root: string, tree: Tree): void {
  mkdirSync(root, { recursive: true });
  for (const [name, node] of Object.entries(tree)) {
    const path = join(root, name);
    mkdirSync(node === "folder" ? path : dirname(path), { recursive: true });
    if (node === "folder") continue;
    if ("link" in node) symlinkSync(node.link, path);
    else writeFileSync(path, node.file);
    if ("file" in node && node.mode !== undefined) chmodSync(path, node.mode);
    lutimesSync(path, oldTime, oldTime);
  }
}

/** Everything below a folder, as one comparable value. */
export function readTree(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = join(below, name);
    const info = lstatSync(join(root, path));
    const time = Math.floor(info.mtimeMs / 1000);
    if (info.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
    else if (info.isDirectory()) Object.assign(found, { [path]: "folder" }, readTree(root, path));
    else
      found[path] =
        `${(info.mode & 0o777).toString(8)} ${time} ${readFileSync(join(root, path)).toString("base64")}`;
  }
  return found;
}

const component = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter(
    (name) =>
      !/[/\0\uD800-\uDFFF\uFFFD]/u.test(name) &&
      name !== "." &&
      name !== ".." &&
      Buffer.byteLength(name) < 250,
  );

const node = fc.oneof(
  fc.record({ file: fc.string({ maxLength: 3000 }), mode: fc.constantFrom(0o644, 0o755, 0o600) }),
  fc.constant("folder" as const),
  component.map((link) => ({ link })),
);

/** Trees of any names, up to four folders deep, in which no path is both a file and a folder. */
export const anyTree: fc.Arbitrary<Tree> = fc
  .array(fc.tuple(fc.array(component, { minLength: 1, maxLength: 4 }), node), { maxLength: 12 })
  .map((nodes) => {
    const tree: Tree = {};
    const leaves = new Set<string>();
    const folders = new Set<string>();
    for (const [parts, content] of nodes) {
      const path = parts.join("/");
      const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
      if (leaves.has(path) || folders.has(path) || parents.some((parent) => leaves.has(parent))) continue;
      for (const parent of parents) folders.add(parent);
      if (content === "folder") folders.add(path);
      else leaves.add(path);
      tree[path] = content;
    }
    return tree;
  });
