import { spawn } from "node:child_process";
import { once } from "node:events";
import { startTimeOf } from "@opentiger/sandbox";
import { expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { newOwner, ownerHasEnded, thisMachine } from "./owner.ts";

const machine = thisMachine();

it("this process lives, and is another owner each time it asks", () => {
  const owner = newOwner();
  expect(ownerHasEnded(owner)).toBe(false);
  expect(newOwner()).not.toBe(owner);
});

it("a process that was killed has ended, also while nobody has fetched it", async () => {
  // The shell does not wait for its child, which stays a zombie until the shell ends.
  const shell = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [line] = await once(shell.stdout, "data");
    const pid = Number(String(line).trim());
    const owner = ownerOf(pid, startTimeOf(pid) ?? "");
    expect(ownerHasEnded(owner)).toBe(false);
    process.kill(pid, "SIGKILL");
    await until("the kernel says that it has ended", () => ownerHasEnded(owner));
  } finally {
    shell.kill("SIGKILL");
  }
});

it("a number that another process has by now is not the owner", () => {
  expect(ownerHasEnded(ownerOf(process.pid, "1"))).toBe(true);
});

it("of an owner on another machine, in a container, or before the last start of this one, nothing is known", () => {
  const [, , , pid, startTime] = newOwner().split(":");
  const gone = (at: typeof machine) =>
    [at.hostname, at.bootId, at.pidNamespace, pid, `${startTime}0`, "x"].join(":");
  expect(ownerHasEnded(gone(machine))).toBe(true);
  for (const elsewhere of [{ hostname: "elsewhere" }, { bootId: "another" }, { pidNamespace: "1" }])
    expect(ownerHasEnded(gone({ ...machine, ...elsewhere }))).toBe(false);
});

it.each(["", "zombie", "a:b", "test:::::"])("%j is nobody's name, and known of it is nothing", (owner) => {
  expect(ownerHasEnded(owner)).toBe(false);
});

function ownerOf(pid: number, startTime: string): string {
  const { hostname, bootId, pidNamespace } = machine;
  return [hostname, bootId, pidNamespace, pid, startTime, "abc"].join(":");
}
