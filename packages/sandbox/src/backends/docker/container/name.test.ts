import { sandboxName } from "@opentiger/schema";
import fc from "fast-check";
import { expect, it } from "vitest";
import { containerName, hostName, nameWithin } from "./name.ts";

const names = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.+-]{0,62}$/)
  .filter((name) => sandboxName.safeParse(name).success);

it("a container's name is one that Docker takes, and gives back the sandbox's", () => {
  fc.assert(
    fc.property(names, fc.stringMatching(/^[0-9a-f]{12}$/), (name, id) => {
      const container = containerName({ name, id });
      expect(container).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/);
      expect(nameWithin(`/${container}`, id)).toBe(name.replaceAll("+", "."));
    }),
  );
});

it("a host's name is one that a host can have", () => {
  fc.assert(
    fc.property(names, (name) => {
      expect(hostName(name)).toMatch(/^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/);
    }),
  );
});

it("a container that somebody named is called what they called it", () => {
  expect(nameWithin("/happy_newton", "")).toBe("happy_newton");
});
