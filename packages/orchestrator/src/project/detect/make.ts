import type { Kind } from "./kind.ts";

export const make: Kind = {
  name: "make",
  detect: async (files) => {
    const found = files.first("GNUmakefile", "makefile", "Makefile");
    const text = found === undefined ? undefined : await files.text(found);
    const target = ["test", "check"].find((name) => new RegExp(`^${name}\\s*:(?!=)`, "m").test(text ?? ""));
    if (found === undefined || target === undefined) return undefined;
    return {
      detected: `make (${found})`,
      setup: [],
      verify: [{ command: `make ${target}` }],
      testPaths: ["**/{test,tests,spec}/**"],
      protectedPaths: ["**/*.mk"],
      lockFiles: [],
    };
  },
};
