import { join } from "node:path";
import { collect } from "@opentiger/sandbox";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Launch, LaunchPlace } from "../driver.ts";
import { type HostPlace, newHostPlace } from "./fixture/host-place.ts";
import { launchedCommand, makeRunFolder, putLaunch } from "./prepare.ts";

let host: HostPlace;

beforeEach(async () => {
  host = await newHostPlace();
});

afterEach(() => host.remove());

it.each([
  ["file", "-f"],
  ["pipe", "-p"],
] as const)("a prompt is the whole of stdin, which is a %s", async (stdinBy, test) => {
  const { sandbox, folder: parent, workspace: cwd } = host;
  const folder = join(parent, "run");
  await makeRunFolder(sandbox, { parent, folder, cwd, env: {} });
  const place: LaunchPlace = { backend: "host", cwd, home: parent, folder, env: {} };
  const stdin = `first\n${"long ".repeat(200_000)}\nlast, without an end`;
  const command = ["sh", "-c", `[ ${test} /dev/stdin ] && cat`];
  const launch: Launch = { command, env: {}, files: [], stdin, stdinBy };
  await putLaunch(sandbox, place, launch, { env: {} });
  const { exit, stdout } = await collect(await sandbox.exec(launchedCommand(place, launch)));
  expect(exit).toMatchObject({ code: 0 });
  expect(stdout.toString() === stdin).toBe(true);
});
