import { execFileSync } from "node:child_process";

/**
 * Makes our terminal pass every byte as it is, both ways, and returns how to put it back. Node's own raw mode still
 * turns each line feed that is shown into two characters, which moves the cursor of full-screen programs.
 */
export function rawTerminal(): () => void {
  const before = stty("-g")?.trim();
  if (!before || stty("raw", "-echo") === undefined) return nodeRawMode();
  const restore = () => void stty(before);
  // Also when we are ended in another way than by returning.
  process.once("exit", restore);
  return () => {
    process.off("exit", restore);
    restore();
  };
}

/** Where there is no stty, this is better than nothing. */
function nodeRawMode(): () => void {
  process.stdin.setRawMode?.(true);
  return () => void process.stdin.setRawMode?.(false);
}

function stty(...settings: string[]): string | undefined {
  try {
    return execFileSync("stty", settings, { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
  } catch {
    return undefined;
  }
}
