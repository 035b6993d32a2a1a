import { expect, it } from "vitest";
import { rootPath, splitEnvironment } from "./environment.ts";

const image = ["PATH=/home/worker/bin:/usr/bin", "HOME=/home/worker", "NODE_EXTRA_CA_CERTS=/ca", "LANG=C"];

it("the supervisor does not obey what is meant for commands", () => {
  const split = splitEnvironment([...image, "LD_PRELOAD=/evil.so", "NODE_OPTIONS=--require ./evil.js --x=y"]);
  expect(split.container).toEqual([
    `PATH=${rootPath}`,
    "NODE_EXTRA_CA_CERTS=",
    "LD_PRELOAD=",
    "NODE_OPTIONS=",
  ]);
  expect(split.commands).toEqual({
    PATH: "/home/worker/bin:/usr/bin",
    NODE_EXTRA_CA_CERTS: "/ca",
    LD_PRELOAD: "/evil.so",
    NODE_OPTIONS: "--require ./evil.js --x=y",
  });
});

it("an image without a PATH has root's", () => {
  expect(splitEnvironment([]).commands).toEqual({ PATH: rootPath });
});
