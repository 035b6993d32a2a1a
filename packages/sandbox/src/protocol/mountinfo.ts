/** One line of `/proc/PID/mountinfo`: which folder of which file system stands where. */
export interface Mount {
  id: number;
  /** The file system, as major:minor. */
  device: string;
  /** The folder of that file system which is seen. */
  root: string;
  target: string;
}

/** In the order of the kernel: of two mounts at one place the later one is seen. */
export function parseMountinfo(text: string): Mount[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [id = "", , device = "", root = "", target = ""] = line.split(" ");
      return { id: Number(id), device, root: unescaped(root), target: unescaped(target) };
    });
}

/** The kernel writes blanks, tabs, line ends and backslashes as three octal digits, byte by byte. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
