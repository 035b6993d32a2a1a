import type { Plan } from "@opentiger/schema";

/** As long as a title may be, and as one can still read it. */
const longestTitle = 120;

/** The requirement is the one task; it may change anything, but tests and protected files only where that is said. */
export function singlePlan(requirement: string, mayChange: readonly string[] = []): Plan {
  const words = requirement.trim();
  return {
    summary: titleOf(words),
    tasks: [
      {
        key: "task",
        title: titleOf(words),
        role: "worker",
        instructions: words,
        needs: [],
        allowedPaths: [],
        mayChange: [...mayChange],
        verify: [],
        risk: "medium",
        estimate: null,
      },
    ],
  };
}

function titleOf(words: string): string {
  const lines = words.split("\n").map((each) => each.replace(/^#+\s*/, "").trim());
  const line = lines.find((each) => each !== "") ?? words;
  const characters = Array.from(line);
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join("")}…`;
}
