import { randomUUID } from "node:crypto";
import { templates } from "@opentiger/sandbox";
import { backendNames } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answerSchema } from "./answers/answer-schema.ts";
import { commandDriver } from "./command/command-driver.ts";
import type { AgentDriver, AgentTask, LaunchPlace, Permissions } from "./driver.ts";
import { drivers } from "./drivers.ts";

const all: [string, AgentDriver][] = [
  ...Object.entries(drivers),
  ["command", commandDriver({ command: ["tool", "--model", "{model}", "{cwd}"] })],
];

const permissions: Permissions[] = [
  { kind: "full" },
  { kind: "edits", commands: ["npm test"] },
  { kind: "read" },
];

describe.each(all)("the driver of %s", (kind, driver) => {
  it("is known by its name, and has an image", () => {
    expect(driver.name).toBe(kind);
    expect(Object.keys(templates)).toContain(driver.template);
  });

  it("puts no word of what the agent is told where a list of processes shows it", () => {
    for (const { launch } of launches(driver)) {
      const seen = JSON.stringify([launch.command, launch.files.map(({ path }) => path)]);
      expect(seen).not.toContain("hidden");
      expect(JSON.stringify([launch.stdin, launch.files])).toContain("hidden prompt");
    }
  });

  it("never tells the project's instructions twice in one place", () => {
    for (const { launch } of launches(driver)) {
      const told = [launch.stdin, ...launch.files.map(({ content }) => content)];
      for (const text of told) expect(text.split("hidden instruction").length).toBeLessThanOrEqual(2);
    }
  });

  it("starts the same task in the same place in the same way", () => {
    for (const { task, place, launch } of launches(driver))
      expect(driver.launch(task, place)).toEqual(launch);
  });

  it("keeps its files below the run's folder", () => {
    for (const { launch } of launches(driver))
      for (const { path } of launch.files) expect(path).toMatch(/^(?!\/)(?!.*\.\.).+$/);
  });

  it("reads nonsense without harm, and says that there was no last word", () => {
    const [first] = launches(driver);
    if (!first) throw new Error("there is a launch");
    const reader = driver.reader(first.task);
    for (const line of [
      "",
      "{",
      "null",
      "[]",
      '{"type":"nobody knows"}',
      "\u0000\ufffd",
      "expected 429 lines",
    ])
      for (const saying of reader.line(line)) expect(["raw", "text"]).toContain(saying.type);
    const { complete, error } = reader.ending();
    expect({ complete, error }).toEqual({ complete: kind === "command", error: null });
  });
});

/** All that differs between runs, in every combination. */
function launches(driver: AgentDriver) {
  return backendNames.flatMap((backend) =>
    permissions.flatMap((permission) =>
      (["new", "resumed"] as const).map((session) => {
        const place = placeOn(backend);
        const task = taskWith(permission, { kind: session, id: randomUUID() });
        return { task, place, launch: driver.launch(task, place) };
      }),
    ),
  );
}

function placeOn(backend: LaunchPlace["backend"]): LaunchPlace {
  return { backend, cwd: "/workspace", home: "/home/agent", folder: "/tmp/run", env: {} };
}

function taskWith(permission: Permissions, session: AgentTask["session"]): AgentTask {
  return {
    prompt: "hidden prompt",
    model: "some-model",
    systemPrompt: "hidden system prompt",
    instructions: [{ path: "AGENTS.md", text: "hidden instruction" }],
    projectSettings: "ignored",
    permissions: permission,
    answer: answerSchema(z.object({ done: z.boolean() })),
    session,
  };
}
