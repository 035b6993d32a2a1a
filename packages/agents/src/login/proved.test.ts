import type { LoginProof } from "@opentiger/sandboxd";
import { expect, it } from "vitest";
import { provedBy } from "./proved.ts";

const proof: LoginProof = {
  outcome: "proved",
  at: "2026-06-01T00:00:00.000Z",
  kind: "claude_login",
  origin: "/home/me/.claude/.credentials.json",
  message: "It was looked at.",
  remedy: null,
};

it("A7 only a login that its API answered is authenticated", () => {
  const authenticated = (outcome: LoginProof["outcome"]) => provedBy({ ...proof, outcome })?.authenticated;
  expect(authenticated("proved")).toBe(true);
  for (const outcome of ["rejected", "expired"] as const) expect(authenticated(outcome)).toBe(false);
  for (const outcome of ["unreadable", "unreachable", "timeout", "unverified"] as const)
    expect(authenticated(outcome)).toBeNull();
  expect(provedBy({ ...proof, outcome: "absent" })).toBeUndefined();
});

it("A8 what is wrong says where it comes from, and what to do, in sandboxd's words where it has some", () => {
  expect(provedBy({ ...proof, outcome: "rejected", remedy: "Log in anew." })).toEqual({
    authenticated: false,
    method: "claude_login",
    problem: {
      code: "auth_rejected",
      message: "It was looked at. It was asked with the credential of /home/me/.claude/.credentials.json.",
      remedy: "Log in anew.",
    },
  });
  expect(provedBy({ ...proof, outcome: "unreachable" })?.problem?.remedy).toContain("network");
});
