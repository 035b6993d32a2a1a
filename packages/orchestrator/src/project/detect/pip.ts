import type { Kind } from "./kind.ts";
import type { ProjectFiles } from "./project-files.ts";
import {
  knowsPytest,
  pythonProtectedPaths,
  pythonTestPaths,
  pythonVerify,
  requirementFiles,
} from "./python.ts";

/** In a folder of the project's own: on the host nothing else may be changed. */
const venv = ".venv";

/** Where nothing is installed yet: the machine's, until a task brings a dependency and with it that folder. */
const bareOrLater = `PATH="$PWD/${venv}/bin:$PATH" python3`;

export const pip: Kind = {
  name: "pip",
  detect: async (files) => {
    if (files.has("uv.lock") || /^\[tool\.uv[\].]/m.test((await files.text("pyproject.toml")) ?? ""))
      return undefined;
    const [found] = files.matching(
      "{pyproject.toml,setup.py,setup.cfg,requirements*.txt,requirements/*.txt}",
    );
    if (found === undefined) return undefined;
    const wanted = await installed(files);
    const setup =
      wanted === "" ? [] : [`python3 -m venv ${venv}`, `${venv}/bin/python -m pip install ${wanted}`];
    return {
      detected: `pip (${found})`,
      setup,
      verify: await pythonVerify(files, setup.length === 0 ? bareOrLater : `${venv}/bin/python`),
      testPaths: pythonTestPaths,
      protectedPaths: pythonProtectedPaths,
      lockFiles: ["pyproject.toml", "setup.py", "setup.cfg", "requirements*.txt", "requirements/*.txt"],
    };
  },
};

/** What pip is told to install. */
async function installed(files: ProjectFiles): Promise<string> {
  const requirements = requirementFiles.filter((path) => files.has(path)).map((path) => `-r ${path}`);
  const project = await projectItself(files);
  const words = [...requirements, ...(project === undefined ? [] : [project])];
  const tester = (await knowsPytest(files)) ? ["pytest"] : [];
  return [...words, ...tester].join(" ");
}

/** Itself, so that its tests find it, with what it says it needs for them. */
async function projectItself(files: ProjectFiles): Promise<string | undefined> {
  const manifest = (await files.text("pyproject.toml")) ?? "";
  if (!/^\[(?:project|build-system)\]/m.test(manifest) && !files.has("setup.py")) return undefined;
  const [, extras = ""] = /^\[project\.optional-dependencies\]\n((?:(?!\[).*\n?)*)/m.exec(manifest) ?? [];
  const known = ["test", "tests", "testing", "dev"].filter((name) =>
    new RegExp(`^${name}\\s*=`, "m").test(extras),
  );
  return known.length === 0 ? "-e ." : `-e '.[${known.join(",")}]'`;
}
