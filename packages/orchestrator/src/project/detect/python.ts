import type { VerifyCommand } from "@opentiger/schema";
import { reportPath } from "./kind.ts";
import type { ProjectFiles } from "./project-files.ts";
import { unittestCommand } from "./unittest.ts";

export const pythonTestPaths = ["**/{test,tests}/**", "**/test*.py", "**/*_test.py", "**/conftest.py"];

export const pythonProtectedPaths = [
  "**/{pyproject.toml,setup.cfg,setup.py,tox.ini,noxfile.py,.coveragerc}",
  "**/{pytest.ini,.pytest.ini,pytest.toml,.pytest.toml}",
  // `python -m` looks into the top folder first: what is called like the runner, or like what it is made of, would be it.
  "{pytest,_pytest,unittest,pluggy,iniconfig,packaging,pygments,exceptiongroup,tomli}{.*,/__init__.*}",
  // By these packages say that they are there, and which plugins the runner loads.
  "**/*.{dist-info,egg-info}/**",
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
  if (!(await knowsPytest(files))) {
    const command = await unittestCommand(files, python);
    return command === undefined ? [] : [{ command }];
  }
  if (files.matching("**/test_*.py", "**/*_test.py", "**/{test,tests}/*.py").length === 0) return [];
  // The older form says in which file a test is.
  return [
    {
      command: `${python} -m pytest --junitxml=${reportPath.xml} -o junit_family=xunit1`,
      reporter: { format: "junit", path: reportPath.xml },
    },
  ];
}

const pytestFiles = [
  "pytest.ini",
  ".pytest.ini",
  "pytest.toml",
  ".pytest.toml",
  "conftest.py",
  "tests/conftest.py",
  "test/conftest.py",
];

export async function knowsPytest(files: ProjectFiles): Promise<boolean> {
  if (files.first(...pytestFiles)) return true;
  for (const path of [...requirementFiles, "pyproject.toml", "setup.cfg", "tox.ini", "uv.lock"]) {
    if (/\bpytest\b/.test((await files.text(path)) ?? "")) return true;
  }
  return false;
}
