import { OrchestratorError } from "../errors.ts";
import { memoryKib, type OwnGit } from "./own-git.ts";

/** How large each of these objects is. One process, however many there are. */
export async function objectSizes(own: OwnGit, oids: Iterable<string>): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const input = lines(oids);
  if (input === "") return sizes;
  const args = ["cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)"];
  let rest = "";
  for await (const chunk of own.stream(args, { input, memoryKib })) {
    const parts = (rest + chunk.toString("latin1")).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      const [oid = "", size] = line.split(" ");
      if (size !== undefined) sizes.set(oid, Number(size));
    }
  }
  return sizes;
}

/** The contents of these objects. The caller has seen to it that they are small. */
export async function objectContents(own: OwnGit, oids: Iterable<string>): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  const input = lines(oids);
  if (input === "") return contents;
  const chunks: Buffer[] = [];
  for await (const chunk of own.stream(["cat-file", "--buffer", "--batch"], { input, memoryKib }))
    chunks.push(chunk);
  let rest = Buffer.concat(chunks);
  while (rest.length > 0) {
    const end = rest.indexOf("\n");
    const [oid = "", type, size] = rest.toString("latin1", 0, end).split(" ");
    if (size === undefined) throw lacking(oid, type);
    contents.set(oid, rest.subarray(end + 1, end + 1 + Number(size)));
    rest = rest.subarray(end + 1 + Number(size) + 1);
  }
  return contents;
}

function lines(oids: Iterable<string>): string {
  return [...new Set(oids)].map((oid) => `${oid}\n`).join("");
}

function lacking(oid: string, why: string | undefined): OrchestratorError {
  return new OrchestratorError("git_failed", `the repository of the loops lacks the object ${oid} (${why})`, {
    remedy: "start the loop again; if that does not help, run `git fsck` in your repository",
  });
}
