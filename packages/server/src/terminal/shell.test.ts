import { PassThrough } from "node:stream";
import type { Sandbox } from "@opentiger/sandbox";
import { expect, it } from "vitest";
import { Shell } from "./shell.ts";

it("a shell that is drawn anew comes back to the size that its window has", async () => {
  const { shell, sizes } = sizedShell();
  await shell.repaint(80, 24);
  expect(sizes).toEqual(["80x23", "80x24"]);
});

it("a window that changes its size while the shell is drawn anew has the last word", async () => {
  const { shell, sizes } = sizedShell();
  const repainted = shell.repaint(80, 24);
  await shell.resize(99, 29);
  await repainted;
  expect(sizes).toEqual(["80x23", "99x29"]);
});

/** A shell with a program that notes its sizes, each some time after it was asked for. */
function sizedShell() {
  const sizes: string[] = [];
  const program = {
    async *output() {},
    input: new PassThrough(),
    exit: new Promise<never>(() => {}),
    resize: async (columns: number, rows: number) => {
      await new Promise(setImmediate);
      sizes.push(`${columns}x${rows}`);
    },
    kill: async () => {},
    tty: "/dev/pts/0",
  };
  // Nothing of the sandbox is asked for before the shell ends.
  return { shell: new Shell("a shell", {} as Sandbox, program), sizes };
}
