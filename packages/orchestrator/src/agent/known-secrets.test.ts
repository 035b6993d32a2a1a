import { expect, it } from "vitest";
import { knownSecrets } from "./known-secrets.ts";

it("values are known as secrets by the names of their variables, or by their looks", () => {
  const found = knownSecrets(
    { ANTHROPIC_API_KEY: "abcdefghij", HOME: "/home/somebody", TOKEN: "short" },
    { WHATEVER: "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", DB_PASSWORD: "correct horse" },
    { ANTHROPIC_API_KEY: "abcdefghij", UNSET: undefined },
  );
  expect(found).toEqual(["abcdefghij", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", "correct horse"]);
});
