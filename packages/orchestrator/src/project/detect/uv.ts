import type { Kind } from "./kind.ts";
import { pythonProtectedPaths, pythonTestPaths, pythonVerify } from "./python.ts";

export const uv: Kind = {
  name: "uv",
  detect: async (files) => {
    const locked = files.has("uv.lock");
    if (!locked && !/^\[tool\.uv[\].]/m.test((await files.text("pyproject.toml")) ?? "")) return undefined;
    return {
      detected: `uv (${locked ? "uv.lock" : "pyproject.toml"})`,
      setup: [locked ? "uv sync --locked" : "uv sync"],
      // What the set-up installed is used as it is: nothing is looked up while checks run.
      verify: await pythonVerify(files, "uv run --no-sync python"),
      testPaths: pythonTestPaths,
      protectedPaths: [...pythonProtectedPaths, "uv.toml"],
      lockFiles: ["uv.lock", "uv.toml", ".python-version", ...(locked ? [] : ["pyproject.toml"])],
    };
  },
};
