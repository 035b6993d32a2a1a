import { expect, it } from "vitest";
import { dockerfilePath, recipeFiles, recipeHash, repositoryRoot } from "./recipe.ts";
import { bundledAgents } from "./templates.ts";

const file = { path: "a", mode: 0o644, content: Buffer.from("x") };

it("the hash changes with every file, mode and choice, not with the order of keys", () => {
  const hash = recipeHash([file], { agents: ["claude"], base: "debian" });
  expect(recipeHash([file], { base: "debian", agents: ["claude"] })).toBe(hash);
  expect(
    recipeHash([{ ...file, content: Buffer.from("y") }], { agents: ["claude"], base: "debian" }),
  ).not.toBe(hash);
  expect(recipeHash([{ ...file, mode: 0o755 }], { agents: ["claude"], base: "debian" })).not.toBe(hash);
  expect(recipeHash([file], { agents: ["claude", "codex"], base: "debian" })).not.toBe(hash);
  expect(recipeHash([file, file], { agents: ["claude"], base: "debian" })).not.toBe(hash);
});

it("everything the Dockerfile copies from the context is sent", async () => {
  const files = await recipeFiles();
  const dockerfile = files.find((each) => each.path === dockerfilePath)?.content.toString() ?? "";
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(\S+) /gm)].map((match) => match[1] ?? "");
  expect(copied.length).toBeGreaterThan(0);
  for (const source of copied)
    expect(
      files.some((each) => each.path.startsWith(source)),
      source,
    ).toBe(true);
});

it("A9 the Dockerfile knows exactly the agents that we offer, each pinned to one version", async () => {
  const dockerfile =
    (await recipeFiles()).find((each) => each.path === dockerfilePath)?.content.toString() ?? "";
  expect(dockerfile).toContain(`ARG AGENTS="${bundledAgents.join(" ")}"`);
  for (const agent of bundledAgents) {
    expect(dockerfile).toMatch(new RegExp(`^FROM fetch AS ${agent}$`, "m"));
    expect(dockerfile).toMatch(new RegExp(`^ARG ${agent.toUpperCase()}_VERSION=\\d+\\.\\d+\\.\\d+$`, "m"));
    expect(dockerfile).toMatch(new RegExp(`^COPY --from=${agent} `, "m"));
  }
});

it("outside of a clone it is said that there is nothing to build from", () => {
  expect(() => repositoryRoot("/")).toThrow(expect.objectContaining({ code: "image_build_failed" }));
});
