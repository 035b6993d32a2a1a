import type { Kind } from "./kind.ts";

export const go: Kind = {
  name: "go",
  detect: async (files) => {
    const found = files.first("go.work", "go.mod");
    if (found === undefined) return undefined;
    // A workspace has no packages of its own: those of its modules are meant.
    const packages = found === "go.work" ? "$(go list -m -f '{{.Dir}}/...')" : "./...";
    return {
      detected: `go (${found})`,
      setup: ["go mod download"],
      verify: [{ command: `go test ${packages}` }],
      testPaths: ["**/*_test.go", "**/testdata/**"],
      // Where there is a folder of that name, the modules come from nowhere else.
      protectedPaths: ["**/.golangci.{yml,yaml,toml,json}", "go.work", "**/vendor/**"],
      lockFiles: ["**/go.mod", "**/go.sum", "go.work", "go.work.sum"],
    };
  },
};
