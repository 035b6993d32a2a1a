import { expect, it } from "vitest";
import { checksum } from "./migration.ts";
import { migrations } from "./migrations.ts";

/** One line a step, added with the step. A line that has to be changed means that a released step was changed. */
const released = {
  1: "9dac5de10603439d7bc39e9c4ed2daf49678d388a3b5bc1c53e694cd016d502f",
  2: "ff116c7c94d15e9adb6212c84c686bf7d8f9c621d2c459cd07e6a144355ff15d",
  3: "86311c0c07705f47729d88a7391fdfaa18769edd6e02170c28bc14bc2d89fee6",
  4: "f686f37a20626ae06e3e77104a06588311eba505b536536628bd3e33d41ed8e5",
  5: "1bd61e023e38b0ba0bf1b474791cb58a9ab3df56bfc5b2d8d309373739658901",
  6: "fae7a3d2959dbcfba6bdd27a72dd313ad4929e8cb5b2f628e4df35569d6300c5",
  7: "28679927a8859b8666a9cbb85c6f61d3443e7d7978469927aaaa256251f29cbf",
  8: "ccc47130d71c08394c2c8fa3df165a0b70b95251a90efa113f1370e288146b5e",
  9: "d385ecf2446fcf46f2c5cc503b020e7c3ab638ca7ffa59c3fff649f8c5a15141",
  10: "5e07f96843d369087d14c5329943037e498756d2c6b9a10624b4781310b66804",
  11: "83464f46d0fbae013c413984579154015be987dce17348b1595952c34e5631f7",
  12: "1a936fd03abf14ed2beabaf4778697c5aa011bb401834d7c16bc025b39e68b4f",
  13: "fe7584d3f9ba4a75198b4ae1324a4f4d7f9628ee5de8d5ada50df9a6ab9bca4d",
  14: "e68e68f0696d45956dd088388eda7e9f3a5ef38d5bbfc74b39d45700a75ed330",
  15: "85ad617c48e5d593f5c6f5d2d64aca5a364d3a81c276b4d6214441ab713f30bd",
};

it("a step that was released is never changed: databases that have it would be refused", () => {
  const known = Object.fromEntries(migrations.map((step) => [step.version, checksum(step)]));
  expect(known).toEqual(released);
});

it("steps are numbered without a gap, and named", () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  for (const { name } of migrations) expect(name).toMatch(/^[a-z][a-z0-9_]+$/);
});

it("how a step is indented does not count, what it says does", () => {
  expect(checksum({ sql: "a\n  b\n" })).toBe(checksum({ sql: "\n    a\n\tb" }));
  expect(checksum({ sql: "a b" })).not.toBe(checksum({ sql: "a  b" }));
});
