import { describe, expect, test } from "vitest";
import { holesOf } from "./known-holes.ts";
import { isDistributionBuild } from "./versions.ts";

describe("attack 12 versions with known holes", () => {
  test.each([
    ["1.1.11", ["CVE-2024-21626", "CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"]],
    ["1.1.12", ["CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"]],
    ["1.2.7", ["CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"]],
    ["1.3.2", ["CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"]],
    ["1.4.0-rc.2", ["CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"]],
    ["1.2.8", []],
    ["1.3.3", []],
    ["1.4.0-rc.3", []],
    ["1.4.0", []],
    ["1.5.2", []],
    ["unknown", []],
  ])("runc %s: %j", (version, cves) => {
    expect(holesOf("runc", version).flatMap((hole) => hole.cves)).toEqual(cves);
  });

  test.each([
    ["24.0.8", ["CVE-2024-24557", "CVE-2024-23651", "CVE-2024-23652", "CVE-2024-23653"]],
    ["24.0.9", ["CVE-2024-23651", "CVE-2024-23652", "CVE-2024-23653"]],
    ["25.0.2", []],
    ["29.9.0", []],
  ])("Docker Engine %s: %j", (version, cves) => {
    expect(holesOf("Docker Engine", version).flatMap((hole) => hole.cves)).toEqual(cves);
  });

  test.each([
    ["1.1.5+ds1", true],
    ["20.10.24+dfsg1", true],
    ["1.1.7-0ubuntu1~22.04.1", true],
    ["1.1.12", false],
    ["v1.2.5-0-g59923ef", false],
  ])("%s is a distribution's own build: %s", (version, own) => {
    expect(isDistributionBuild(version)).toBe(own);
  });
});
