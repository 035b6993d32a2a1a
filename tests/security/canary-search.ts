import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { docker } from "../setup/docker.ts";

/**
 * In which places of a running container one of the words is: what the engine says of it, what it printed, the
 * environment and memory of each of its processes, and the folders that may live in memory. The reader is root on the host.
 */
export async function placesInRunning(container: string, words: readonly string[]): Promise<string[]> {
  const pid = await docker("inspect", "--format", "{{.State.Pid}}", container);
  const { stdout, stderr } = spawnSync("docker", ["logs", container], { encoding: "utf8" });
  const said = { inspect: await docker("inspect", container), logs: stdout + stderr };
  const folders = ["/dev/shm", "/run", "/tmp"];
  return [
    ...Object.entries(said).flatMap(([place, text]) => (hasOne(text, words) ? place : [])),
    ...grepProcesses(container, words),
    ...folders.filter((folder) => hasFile(`/proc/${pid}/root${folder}`, words)),
  ];
}

/** In which of the things that stay one of the words is: what was written in a container, and an image made of it. */
export async function placesKept(
  container: string,
  image: string,
  words: readonly string[],
): Promise<string[]> {
  const said = [await docker("inspect", image), await docker("history", "--no-trunc", image)].join();
  return [
    ...(hasFile(await layerOf(container), words) ? ["layer"] : []),
    ...(hasOne(said, words) ? ["image"] : []),
    ...(hasFile(await layerOf(image), words) ? ["layer of the image"] : []),
  ];
}

/** Files below a folder that hold the word in clear. One that goes while it is looked for is none of them. */
export function filesWith(folder: string, word: string): string[] {
  const { status, stdout, stderr } = spawnSync("grep", ["-rlF", "--devices=skip", word, folder], {
    encoding: "utf8",
  });
  const onlyGone = existsSync(folder) && /^(grep: .*: No such file or directory\n)+$/.test(stderr);
  if (status === null || (status > 1 && !onlyGone)) throw new Error(stderr);
  return stdout.split("\n").filter(Boolean);
}

function hasFile(folder: string, words: readonly string[]): boolean {
  return words.some((word) => filesWith(folder, word).length > 0);
}

function hasOne(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(word));
}

/** `environ` where a process of a container has one of the words there, and `memory` likewise. */
function grepProcesses(container: string, words: readonly string[]): string[] {
  const script = `
import re, subprocess, sys
pids = subprocess.check_output(["docker", "top", sys.argv[1], "-o", "pid"], text=True).split()[1:]
words = [word.encode() for word in sys.argv[2:]]
places = set()
for pid in pids:
    try:
        text = open(f"/proc/{pid}/environ", "rb").read()
        if any(word in text for word in words): places.add("environ")
        with open(f"/proc/{pid}/mem", "rb") as memory:
            for line in open(f"/proc/{pid}/maps"):
                found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
                if not found: continue
                start, end = (int(part, 16) for part in found.groups())
                if end - start > 1 << 30: continue
                try:
                    memory.seek(start)
                    text = memory.read(end - start)
                except (OSError, ValueError, OverflowError):
                    continue
                if any(word in text for word in words): places.add("memory")
    except (FileNotFoundError, ProcessLookupError):
        continue
print("\\n".join(sorted(places)))
`;
  return execFileSync("python3", ["-c", script, container, ...words], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

/** Where the engine keeps what was written on top of an image. */
function layerOf(reference: string): Promise<string> {
  return docker("inspect", "--format", "{{.GraphDriver.Data.UpperDir}}", reference);
}
