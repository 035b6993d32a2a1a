/** What package managers call the files that say what is installed, where each has one name of its own. */
const names = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "uv.lock",
  "poetry.lock",
  "pdm.lock",
  "Pipfile.lock",
  "conda-lock.yml",
  "go.sum",
  "go.work.sum",
  "Cargo.lock",
  "Gemfile.lock",
  "gems.locked",
  "composer.lock",
  "mix.lock",
  "rebar.lock",
  "pubspec.lock",
  "Package.resolved",
  "gradle.lockfile",
  "packages.lock.json",
  "flake.lock",
];

/**
 * What a project depends on, and where that comes from: a changed one is set up again, pointed out and read. They may lie
 * anywhere in the tree: a set-up that somebody wrote need not be of a kind that is detected, nor of the folder in which one is.
 */
export const dependencyLists: readonly string[] = [
  ...names.map((name) => `**/${name}`),
  "**/{requirements,constraints}*.{txt,in}",
  "**/requirements/*.{txt,in}",
];
