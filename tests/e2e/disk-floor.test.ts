import { describe, expect, test } from "vitest";
import { newUser } from "../setup/command-line.ts";
import { onlineInstance } from "../setup/sandboxd.ts";
import { canHaveSmallInternet, smallInternet } from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

describe.skipIf(!canHaveSmallInternet)("when less of the disk is free than the floor", () => {
  test("sandboxes that grow, inside or in their workspace, are paused with the reason, the other goes on, and resume lets it go on", async () => {
    const internet = await smallInternet(["public.test"]);
    // More than any disk has: it counts as nearly full.
    const instance = await onlineInstance(internet, { OPENTIGER_DISK_FLOOR: "8000000g" });
    const user = await newUser({ OPENTIGER_HOME: instance.home });
    const workspace = temporaryWorkspace();
    for (const [name, folder] of [
      ["quiet", temporaryWorkspace()],
      ["grower", temporaryWorkspace()],
      ["writer", workspace],
    ] as const) {
      expect(await user.sandbox("create", "--name", name, "shell", folder)).toMatchObject({ status: 0 });
    }
    const grow = (folder: string) =>
      `i=0; while [ $i -lt 100 ]; do i=$((i+1)); head -c 5000000 /dev/zero > ${folder}/$i; sleep 0.5; done`;
    await user.sandbox("exec", "-d", "grower", "sh", "-c", grow("/tmp"));
    await user.sandbox("exec", "-d", "writer", "sh", "-c", grow(workspace));
    const listed = async () => {
      const { vms } = JSON.parse((await user.sandbox("ls", "--json")).stdout) as {
        vms: { name: string; status: string; reason?: string }[];
      };
      return Object.fromEntries(vms.map((vm) => [vm.name, vm]));
    };
    await until(
      "those that grow are paused",
      async () => {
        const { grower, writer } = await listed();
        return grower?.status === "paused" && writer?.status === "paused";
      },
      60_000,
    );
    for (const name of ["grower", "writer"])
      expect((await listed())[name]?.reason).toMatch(/the disk has .* left/);
    expect((await listed())["quiet"]?.status).toBe("running");
    expect(await user.sandbox("exec", "quiet", "true")).toMatchObject({ status: 0 });

    const refused = await user.sandbox("exec", "grower", "true");
    expect(refused.status).toBe(74);
    expect(refused.stderr).toContain("docker sandbox resume grower");
    expect(await user.sandbox("resume", "grower")).toMatchObject({ status: 0, stdout: "grower\n" });
    expect(await user.sandbox("exec", "grower", "true")).toMatchObject({ status: 0 });
  });
});
