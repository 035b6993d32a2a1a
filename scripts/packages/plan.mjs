import { run } from "../process/run.mjs";

export const APT = [
  "-y",
  "-q",
  "--no-install-recommends",
  "-o",
  "DPkg::Lock::Timeout=300",
  "-o",
  "Dpkg::Use-Pty=0",
];
export const APT_ENVIRONMENT = {
  ...process.env,
  DEBIAN_FRONTEND: "noninteractive",
  NEEDRESTART_SUSPEND: "1",
  LC_ALL: "C",
};
const MEGABYTE = 1_000_000;

/**
 * Says what will be installed, package by package. False when apt cannot work it out.
 *
 * @param {readonly string[]} packages
 * @param {(line: string) => void} onLine
 */
export async function announceInstallation(packages, onLine) {
  const plan = await run("apt-get", ["install", ...APT, "--print-uris", ...packages], {
    env: APT_ENVIRONMENT,
  });
  if (plan.code !== 0) return false;
  const simulated = await run("apt-get", ["install", ...APT, "-s", ...packages], { env: APT_ENVIRONMENT });
  const names = [...simulated.stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? "");
  const shown = await run("apt-cache", ["show", "--no-all-versions", ...names], { env: APT_ENVIRONMENT });
  const rows = shown.stdout
    .split("\n\n")
    .map(sizes)
    .filter((row) => row.name);
  onLine(`Debian packages to be installed (download, on disk), services not started:`);
  for (const row of rows)
    onLine(`  ${row.name.padEnd(26)} ${megabytes(row.download)} ${megabytes(row.disk)}`);
  const sum = (/** @type {"download" | "disk"} */ key) => rows.reduce((total, row) => total + row[key], 0);
  onLine(`  ${`${rows.length} packages`.padEnd(26)} ${megabytes(sum("download"))} ${megabytes(sum("disk"))}`);
  return true;
}

/** @param {string} record one package in the words of `apt-cache show` */
function sizes(record) {
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: (.*)$`, "m").exec(record)?.[1] ?? "";
  return {
    name: field("Package"),
    download: Number(field("Size")),
    disk: Number(field("Installed-Size")) * 1024,
  };
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / MEGABYTE).toFixed(1).padStart(7)} MB`;
}
