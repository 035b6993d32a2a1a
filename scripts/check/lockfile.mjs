import { readFileSync, writeFileSync } from "node:fs";

/**
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {Record<string, LockEntry>} LockPackages */

const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = [
  "arm64",
  "arm",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

/**
 * Tools with native parts come as one optional package for each platform. npm leaves those it could not see out of the
 * lock file, and `npm ci` then refuses the whole lock file everywhere. This finds them and, with `fix`, writes them in:
 * their exact version is known from the package that wants them, their platform from their name.
 *
 * @param {string} path
 * @param {{fix: boolean}} options
 * @returns {{missing: string[]}} what is still missing
 */
export function checkLockfile(path, { fix }) {
  const lock = JSON.parse(readFileSync(path, "utf8"));
  const missing = missingPlatformPackages(lock.packages);
  if (missing.length === 0) return { missing: [] };
  if (!fix) return { missing: missing.map(({ name, version }) => `${name}@${version}`) };
  for (const { name, version, dev } of missing) {
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(dev && { dev }),
      optional: true,
    };
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([left], [right]) => left.localeCompare(right, "en")),
  );
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  return { missing: [] };
}

/** @param {LockPackages} packages */
function missingPlatformPackages(packages) {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`])
      .filter(([name, version]) => /^\d/.test(version) && isForOnePlatform(name))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

/** @param {string} name */
function isForOnePlatform(name) {
  const { os, cpu } = platformOf(name);
  return os !== undefined || cpu !== undefined;
}

/** @param {string} name such as `@biomejs/cli-linux-arm64-musl` */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith("musl"))
    ? "musl"
    : words.some((word) => word.startsWith("gnu")) && "glibc";
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(os === "linux" && libc && { libc: [libc] }),
    ...(os && { os: [os] }),
  };
}
