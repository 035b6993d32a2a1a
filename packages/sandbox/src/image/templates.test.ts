import { agentNames } from "@opentiger/schema";
import { expect, it } from "vitest";
import { bundledAgents, templates } from "./templates.ts";

it("B9 every agent has a template, started without questions", () => {
  expect(Object.keys(templates).sort()).toEqual([...agentNames].sort());
  expect(templates.claude.start).toEqual(["claude", "--dangerously-skip-permissions"]);
  expect(templates.codex.start).toEqual(["codex", "--dangerously-bypass-approvals-and-sandbox"]);
  expect(templates.opencode.start).toEqual(["opencode"]);
  expect(templates.copilot.start).toEqual(["copilot", "--yolo"]);
  expect(templates.shell.start).toEqual(["bash", "-l"]);
});

it("B9 the worker image is for the bundled agents and the shell; the others need an image of the user's", () => {
  const inImage = Object.values(templates).filter((template) => template.inWorkerImage);
  expect(inImage.map((template) => template.agent).sort()).toEqual([...bundledAgents, "shell"].sort());
});
