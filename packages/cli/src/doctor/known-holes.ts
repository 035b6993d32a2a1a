import { isBefore, parseVersion } from "./versions.ts";

/** A hole by which what runs in a container, or an image that is built, reaches the host. */
export interface KnownHole {
  component: "runc" | "Docker Engine";
  cves: readonly string[];
  about: string;
  /** The first good version of each line that got one; lines before the first are not mended at all. */
  fixedIn: readonly [string, ...string[]];
  severity: "fail" | "warn";
}

/** When this list was last held against the advisories of the projects. Holes that only plugins open are not in it. */
export const holesAsOf = "2026-11-16";

const knownHoles: readonly KnownHole[] = [
  {
    component: "runc",
    cves: ["CVE-2024-21626"],
    about: "Leaky Vessels: a working directory that leads out of the container",
    fixedIn: ["1.1.12"],
    severity: "fail",
  },
  {
    component: "runc",
    cves: ["CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"],
    about: "masked paths, /dev/console and procfs writes that can be led elsewhere",
    fixedIn: ["1.2.8", "1.3.3", "1.4.0-rc.3"],
    severity: "fail",
  },
  {
    component: "Docker Engine",
    cves: ["CVE-2024-24557"],
    about: "the build cache can be poisoned by an image",
    fixedIn: ["24.0.9", "25.0.2"],
    severity: "warn",
  },
  {
    component: "Docker Engine",
    cves: ["CVE-2024-23651", "CVE-2024-23652", "CVE-2024-23653"],
    about: "BuildKit: a build can reach files of the host",
    fixedIn: ["25.0.2"],
    severity: "warn",
  },
];

/** The holes that this version has by its number. One that cannot be read has none that are known. */
export function holesOf(component: KnownHole["component"], version: string): KnownHole[] {
  return knownHoles.filter((hole) => hole.component === component && !isMended(version, hole.fixedIn));
}

/** Good is a version that is not before the first good one of its own line, or that is of a later line than all. */
function isMended(version: string, fixedIn: readonly string[]): boolean {
  const found = parseVersion(version);
  if (!found) return true;
  const fixes = fixedIn.flatMap((text) => parseVersion(text) ?? []);
  const [major, minor] = found.numbers;
  const own = fixes.find(({ numbers }) => numbers[0] === major && numbers[1] === minor);
  if (own) return !isBefore(found, own);
  return fixes.every((fix) => isBefore(fix, found));
}
