import { stripVTControlCharacters } from "node:util";
import type { SandboxSummary } from "@opentiger/schema";
import { expect, test } from "vitest";
import { recordedSurroundings } from "../program/recorded-surroundings.ts";
import { renderList } from "./sandbox-list.ts";

const now = new Date("2026-01-02T00:00:00Z");

test("piped, it is plain text in aligned columns, the original's four first", () => {
  const { surroundings } = recordedSurroundings({ now });
  const list = [
    summary({}),
    summary({ name: "a-longer-name", status: "stopped", network: "open", createdAt: "2026-01-01T23:59:20Z" }),
  ];
  expect(renderList({ shown: list, hidden: 3 }, surroundings)).toBe(
    [
      "SANDBOX         AGENT    STATUS    WORKSPACE            KIND     NETWORK   AGE",
      "box             claude   running   /home/me/project     direct   allow     1d",
      "a-longer-name   claude   stopped   /home/me/project     direct   OPEN      40s",
      "",
    ]
      .join("\n")
      .replaceAll("/home/me/project     ", "/home/me/project   ")
      .replaceAll("WORKSPACE            ", "WORKSPACE          "),
  );
});

test("piped and empty, it is the head alone", () => {
  const { surroundings } = recordedSurroundings({ now });
  expect(renderList({ shown: [], hidden: 0 }, surroundings)).toMatch(
    /^SANDBOX +AGENT +STATUS +WORKSPACE.*\n$/,
  );
});

test("on a terminal it has colours, ~ for home, shortened paths, and says what it left out", () => {
  const { surroundings } = recordedSurroundings({ tty: true, columns: 60, env: { HOME: "/home/me" }, now });
  const deep = summary({ name: "deep", workspaces: [mount(`/srv/${"x".repeat(80)}/end`)] });
  const text = renderList({ shown: [summary({}), deep], hidden: 2 }, surroundings);
  expect(text).toContain("\u001b[94mrunning");
  const plain = stripVTControlCharacters(text);
  expect(plain).toContain("~/project");
  expect(plain).toMatch(/\/srv\/x+…x+\/end/);
  expect(Math.max(...plain.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(plain).toContain("2 more of other instances");
});

test("NO_COLOR is obeyed on a terminal", () => {
  const { surroundings } = recordedSurroundings({ tty: true, env: { NO_COLOR: "1" }, now });
  expect(renderList({ shown: [summary({})], hidden: 0 }, surroundings)).not.toContain("\u001b[");
});

test("an empty list on a terminal says how to make the first one", () => {
  const { surroundings } = recordedSurroundings({ tty: true, now });
  expect(renderList({ shown: [], hidden: 0 }, surroundings)).toContain("docker sandbox create claude .");
});

test("a label of somebody else's container cannot move the cursor", () => {
  const { surroundings } = recordedSurroundings({ tty: true, env: { NO_COLOR: "1" }, now });
  const evil = summary({ own: false, agent: "x\u001b[2Jy", workspaces: [mount("/a\nb\u009b31m")] });
  const text = renderList({ shown: [evil], hidden: 0 }, surroundings);
  expect(text).not.toContain("\u001b");
  expect(text).not.toContain("\u009b");
  expect(text.split("\n")).toHaveLength(3);
});

function mount(path: string) {
  return { path, readOnly: false };
}

function summary(changed: Partial<SandboxSummary>): SandboxSummary {
  return {
    name: "box",
    id: "0123456789abcdef",
    agent: "claude",
    backend: "docker",
    status: "running",
    workspaceKind: "direct",
    workspaces: [mount("/home/me/project")],
    image: "opentiger/worker:latest",
    createdAt: "2026-01-01T00:00:00Z",
    network: "allow",
    own: true,
    ...changed,
  };
}
