import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Imports an image that holds `sleep` and the libraries it needs, taken from this machine: no registry, no network,
 * a second or two.
 */
export function importTinyImage(dockerHost: string, name: string): void {
  const root = mkdtempSync(join(tmpdir(), "tiny-image-"));
  try {
    for (const file of ["/bin/sleep", ...librariesOf("/bin/sleep")]) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      copyFileSync(file, join(root, file));
    }
    const archive = execFileSync("tar", ["-C", root, "-c", "."], { maxBuffer: 2 ** 28 });
    execFileSync("docker", ["-H", dockerHost, "import", "-", name], { input: archive });
  } finally {
    rmSync(root, { recursive: true });
  }
}

function librariesOf(program: string): string[] {
  const listing = execFileSync("ldd", [program], { encoding: "utf8" });
  return [...listing.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? "");
}
