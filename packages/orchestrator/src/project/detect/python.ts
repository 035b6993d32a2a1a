import type { VerifyCommand } from "@opentiger/schema";
import { reportPath } from "./kind.ts";
import type { ProjectFiles } from "./project-files.ts";

export const pythonTestPaths = ["**/{test,tests}/**", "**/test_*.py", "**/*_test.py", "**/conftest.py"];

export const pythonProtectedPaths = [
  "**/{pyproject.toml,setup.cfg,setup.py,pytest.ini,.pytest.ini,tox.ini,noxfile.py,.coveragerc}",
];

/** Where a project says what it needs for its tests. */
export const requirementFiles = [
  "requirements.txt",
  "requirements-dev.txt",
  "requirements_dev.txt",
  "dev-requirements.txt",
  "requirements-test.txt",
  "test-requirements.txt",
  "requirements/dev.txt",
  "requirements/test.txt",
];

/** The tests, where there are any: by pytest, which tells of each, where the project knows it. */
export async function pythonVerify(files: ProjectFiles, python: string): Promise<VerifyCommand[]> {
  if (files.matching("**/test_*.py", "**/*_test.py", "**/{test,tests}/*.py").length === 0) return [];
  if (!(await knowsPytest(files))) return [{ command: `${python} -m unittest discover` }];
  // The older form says in which file a test is.
  return [
    {
      command: `${python} -m pytest --junitxml=${reportPath.xml} -o junit_family=xunit1`,
      reporter: { format: "junit", path: reportPath.xml },
    },
  ];
}

export async function knowsPytest(files: ProjectFiles): Promise<boolean> {
  if (files.first("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"))
    return true;
  for (const path of [...requirementFiles, "pyproject.toml", "setup.cfg", "tox.ini", "uv.lock"]) {
    if (/\bpytest\b/.test((await files.text(path)) ?? "")) return true;
  }
  return false;
}
