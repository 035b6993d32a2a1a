import { extract, type Header } from "tar-stream";
import { expect, it } from "vitest";
import { buildContext } from "./context.ts";

it("the context holds folders before their files, all by root and without times", async () => {
  const content = Buffer.from("FROM scratch\n");
  const files = [
    { path: "ops/docker/worker.Dockerfile", mode: 0o644, content },
    { path: "ops/docker/ca/x.crt", mode: 0o600, content: Buffer.alloc(0) },
  ];
  const entries = await list(buildContext(files));
  expect(entries.map(({ name, type, mode }) => [name, type, mode])).toEqual([
    ["ops/", "directory", 0o755],
    ["ops/docker/", "directory", 0o755],
    ["ops/docker/ca/", "directory", 0o755],
    ["ops/docker/worker.Dockerfile", "file", 0o644],
    ["ops/docker/ca/x.crt", "file", 0o600],
  ]);
  for (const entry of entries) expect(entry).toMatchObject({ uid: 0, gid: 0, mtime: new Date(0) });
  expect(entries.at(3)?.size).toBe(content.length);
});

async function list(tar: NodeJS.ReadableStream): Promise<Header[]> {
  const found: Header[] = [];
  for await (const entry of tar.pipe(extract())) {
    found.push(entry.header);
    entry.resume();
  }
  return found;
}
