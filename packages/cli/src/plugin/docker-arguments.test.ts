import { expect, test } from "vitest";
import { readPluginCall } from "./docker-arguments.ts";

test("the words behind `sandbox` are ours, untouched", () => {
  const call = readPluginCall(["sandbox", "exec", "box", "--", "-H", "sandbox"]);
  expect(call).toEqual({ words: ["exec", "box", "--", "-H", "sandbox"], context: undefined, env: {} });
});

test.each([[["--context", "far"]], [["--context=far"]], [["-c", "far"]], [["-cfar"]]])(
  "docker %j chooses the context",
  (flags) => {
    expect(readPluginCall([...flags, "sandbox", "ls"])).toMatchObject({ words: ["ls"], context: "far" });
  },
);

test("docker's other flags become what they mean to the environment", () => {
  const call = readPluginCall([
    "-D",
    "--config",
    "/cfg",
    "-H=unix:///x",
    "-l",
    "debug",
    "--tlsverify",
    "sandbox",
    "ls",
  ]);
  expect(call.env).toEqual({
    OPENTIGER_DEBUG: "1",
    DOCKER_CONFIG: "/cfg",
    DOCKER_HOST: "unix:///x",
    DOCKER_TLS_VERIFY: "1",
  });
});

test("docker's completion asks in front of everything", () => {
  expect(readPluginCall(["__complete", "sandbox", "ls", "-"]).words).toEqual(["__complete", "ls", "-"]);
});

test("a flag that would be ignored is refused", () => {
  expect(() => readPluginCall(["--tlscacert", "x", "sandbox", "ls"])).toThrow(/not understood/);
});
