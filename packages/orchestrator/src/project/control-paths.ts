/**
 * What decides how commands run, in any project: settings of package managers and shells, files that `make` and its kin
 * obey under whichever of their names, and what Python runs before anything else. The judge's checks never see a
 * candidate's own.
 */
export const always = [
  "opentiger.json",
  "**/.gitattributes",
  "**/.npmrc",
  "**/.yarnrc",
  "**/.yarnrc.yml",
  "**/.yarn/**",
  "**/.pnpmfile.cjs",
  "**/bunfig.toml",
  "**/.envrc",
  "**/.env",
  "**/.tool-versions",
  "**/.mise.toml",
  "**/pip.conf",
  "**/sitecustomize.py",
  "**/usercustomize.py",
  "**/.cargo/config*",
  "**/{GNUmakefile,makefile,Makefile}",
  "**/{justfile,Justfile,.justfile}",
  "**/{T,t}askfile{,.dist}.{yml,yaml}",
  "**/go.work",
];

/** What a set-up makes, and no commit should hold: a manifest in it says what a program of it is. */
export const installed = ["**/node_modules/**", "**/.venv/**", "**/vendor/**/package.json"];

/**
 * Where test runners look for settings besides those that a project has and protects: a new one of these would be obeyed
 * in place of them.
 */
export const runnerSettings = [
  "**/{vitest,vite,jest,karma,playwright,cypress,ava}.{config,conf,workspace,projects}.*",
  "**/.{mocharc,nycrc,c8rc,taprc}*",
  "**/{pytest.ini,.pytest.ini,pytest.toml,.pytest.toml,tox.ini,setup.cfg}",
  "**/nextest.toml",
];

/** What a test compares with belongs to the test. */
export const snapshots = ["**/__snapshots__/**", "**/*.snap"];

/** A manifest says both how a project is built and what it depends on; only the first is kept from the candidate. */
export const manifests = ["**/package.json"];

/** The same for Go. */
export const goModules = ["**/go.mod"];
