/**
 * The packages from the top of the house to its ground: each may use those below it and none above it.
 * Packages on one line stand beside each other and do not know one another.
 */
const FLOORS = [
  ["dashboard"],
  ["cli"],
  ["server"],
  ["orchestrator"],
  ["agents"],
  ["sandboxd"],
  ["sandbox", "secrets"],
  ["schema", "model-sim"],
];

const inPackages = (/** @type {string[]} */ names) => `^packages/(?:${names.join("|")})/`;

const oneWay = FLOORS.flatMap((floor, index) =>
  floor.map((name) => ({
    name: `${name}-looks-down-only`,
    comment: `${name} may use only the packages below it; see FLOORS in .dependency-cruiser.cjs`,
    severity: "error",
    from: { path: inPackages([name]) },
    to: { path: inPackages([...FLOORS.slice(0, index).flat(), ...floor.filter((other) => other !== name)]) },
  })),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...oneWay,
    {
      name: "no-cycle",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "packages-meet-by-name",
      comment: "another package is imported by its name, never by a path into its files",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: {
        path: "^packages/",
        pathNot: ["^packages/$1/", "^packages/[^/]+/src/(?:[^/]+\\.tsx?|[^/]+/index\\.ts)$"],
      },
    },
    {
      name: "packages-stand-alone",
      comment: "what is shipped does not use tests, benchmarks or repository scripts",
      severity: "error",
      from: { path: "^packages/", pathNot: "(?:\\.test|-fixture)\\.tsx?$" },
      to: { path: "^(?:tests|bench|scripts)/" },
    },
    {
      name: "fixtures-are-for-tests",
      comment: "what is shipped does not use what tests share",
      severity: "error",
      from: { path: "^packages/", pathNot: ["\\.test\\.tsx?$", "/fixture/", "/temporary-[^/]+\\.ts$"] },
      to: { path: "^packages/[^/]+/src/fixture/" },
    },
    {
      name: "supervisor-is-alone-in-the-sandbox",
      comment:
        "the supervisor is one small file that can be read: node's own modules, the protocol and types",
      severity: "error",
      from: { path: "^packages/sandbox/src/supervisor/", pathNot: "\\.test\\.ts$" },
      to: {
        dependencyTypesNot: ["core"],
        pathNot: [
          "^packages/sandbox/src/supervisor/",
          "^packages/sandbox/src/protocol/",
          "^packages/schema/src/index\\.ts$",
        ],
      },
    },
    {
      name: "schema-does-no-io",
      severity: "error",
      from: { path: "^packages/schema/src/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "nothing-unresolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    // What reads TypeScript here does not read JSX; biome.json says what the pages may import.
    exclude: { path: "(?:^|/)(?:dist|node_modules)/|\\.tsx$" },
    moduleSystems: ["es6", "cjs"],
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
    },
  },
};
