/**
 * What decides how commands run, in any project: settings of package managers and shells, files that `make` and its kin
 * obey under whichever of their names, what says how a project is built, and what Python runs before anything else. The
 * judge's checks never see a candidate's own.
 */
export const always = [
  "opentiger.json",
  "**/.gitattributes",
  "**/.npmrc",
  "**/.yarnrc",
  "**/.yarnrc.yml",
  "**/.yarn/**",
  "**/.pnp.{cjs,js,loader.mjs,data.json}",
  "**/.pnpmfile.{cjs,mjs}",
  "**/bunfig.toml",
  "**/.envrc",
  "**/.env{,.local,.test,.test.local,.development,.development.local,.ci}",
  "**/.tool-versions",
  "**/{,.}mise.toml",
  "**/pip.conf",
  "**/sitecustomize.py",
  "**/usercustomize.py",
  "**/.cargo/**",
  "**/{GNUmakefile,makefile,Makefile}{,.*}",
  "**/*.mk",
  "**/{justfile,Justfile,.justfile}",
  "**/{T,t}askfile{,.dist}.{yml,yaml}",
  "**/go.work",
  ...buildFiles(),
];

/** One of these says what is compiled and which tests are run, and can say that none is. */
function buildFiles(): string[] {
  return [
    "**/{pom.xml,mvnw}",
    "**/.mvn/**",
    "**/{build,settings}.gradle{,.kts}",
    "**/{gradle.properties,gradlew}",
    "**/gradle/wrapper/**",
    "**/build.sbt",
    "**/build.rs",
    "**/{CMakeLists.txt,CMakePresets.json,meson.build}",
    "**/{.bazelrc,WORKSPACE,WORKSPACE.bazel,MODULE.bazel}",
    "**/{Rakefile,.rspec}",
    "**/phpunit{,.dist}.xml{,.dist}",
    "**/mix.exs",
    "**/deno.json{,c}",
    "**/*.{csproj,fsproj,vbproj,runsettings}",
    "**/Directory.*.{props,targets}",
    "**/{Gruntfile,gulpfile}.*",
  ];
}

/** What a set-up makes, and no commit should hold: a manifest in it says what a program of it is. */
export const installed = ["**/node_modules/**", "**/.venv/**", "**/vendor/**/package.json"];

/**
 * Where test runners look for settings besides those that a project has and protects: a new one of these would be obeyed
 * in place of them.
 */
export const runnerSettings = [
  "**/{vitest,vite,jest,karma,playwright,cypress,ava,nyc,web-test-runner}.{config,conf,workspace,projects}.*",
  "**/.{mocharc,nycrc,c8rc,taprc}*",
  "**/{pytest.ini,.pytest.ini,pytest.toml,.pytest.toml,tox.ini,tox.toml,setup.cfg}",
  "**/conftest.py",
  "**/nextest.toml",
];

/**
 * What tools find by themselves, and may run: where it is changed, the checks are run again without that. A task may change
 * it all the same, since most of these have nothing to do with tests.
 */
export const toolSettings = [
  "**/*.config.{js,cjs,mjs,ts,cts,mts,json}",
  "**/.*rc{,.js,.cjs,.mjs,.ts,.json,.yml,.yaml,.toml}",
  "**/{tsconfig,jsconfig}*.json",
  "**/{biome,angular,turbo,nx,lerna}.json{,c}",
  "**/pnpm-workspace.yaml",
];

/** What belongs to tests wherever it lies: what they compare with, and what runners load for them without being told. */
export const besideTests = [
  "**/__snapshots__/**",
  "**/*.snap",
  "**/__mocks__/**",
  "**/setupTests.{js,jsx,ts,tsx}",
];

/** A manifest says both how a project is built and what it depends on; only the first is kept from the candidate. */
export const manifests = ["**/package.json"];

/** The same for Go. */
export const goModules = ["**/go.mod"];
