import { agentNames } from "@opentiger/schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkName, defaultNames } from "./names.ts";

/** The rule, written once more in another way. */
function isName(text: string): boolean {
  const allowed = new Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+");
  const first = text[0] ?? "";
  return text.length <= 63 && text.split("").every((char) => allowed.has(char)) && !"-_.+".includes(first);
}

function accepts(text: string): boolean {
  try {
    return checkName(text) === text;
  } catch {
    return false;
  }
}

describe("a name", () => {
  it("is what the docker sandbox plugin allowed, and nothing else", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary", maxLength: 70 }), fc.stringMatching(/^[\w.+-]{0,70}$/)),
        (text) => {
          expect(accepts(text)).toBe(isName(text));
        },
      ),
    );
  });

  it.each(["", ".", "..", "a/b", "a b", "-a", "a\n", "ä", "a\0", "a".repeat(64), "../x", "$(id)"])(
    "is refused with the rule when it is %j",
    (name) => {
      expect(() => checkName(name)).toThrow(
        expect.objectContaining({ code: "name_invalid", remedy: expect.stringMatching(/letters, digits/) }),
      );
    },
  );
});

describe("the default name", () => {
  it("is legal for every agent and every folder, and numbered ones are all different", () => {
    fc.assert(
      fc.property(fc.constantFrom(...agentNames), fc.string({ unit: "binary" }), (agent, folder) => {
        const names = [...defaultNames(agent, `/x/${folder}`)];
        expect(names.filter((name) => !isName(name))).toEqual([]);
        expect(new Set(names).size).toBe(names.length);
      }),
      { numRuns: 50 },
    );
  });

  it("is the agent and the folder, then the same with a number", () => {
    const names = defaultNames("claude", "/home/me/my project");
    expect(names.next().value).toBe("claude-my-project");
    expect(names.next().value).toBe("claude-my-project-2");
    expect(names.next().value).toBe("claude-my-project-3");
  });

  it("leaves room for the number", () => {
    const [first = "", second = ""] = defaultNames("claude", `/x/${"y".repeat(200)}`);
    expect(first).toHaveLength(63);
    expect(second).toMatch(/^claude-y+-2$/);
    expect(second).toHaveLength(63);
  });
});
