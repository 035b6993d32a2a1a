import { expect, test } from "vitest";
import { diskFloor } from "./floor.ts";

test.each([
  [undefined, 2 * 1024 ** 3],
  ["", 2 * 1024 ** 3],
  ["500m", 500 * 1024 ** 2],
  ["10GB", 10 * 1024 ** 3],
  ["0", 0],
])("OPENTIGER_DISK_FLOOR=%j is %d bytes", (written, bytes) => {
  expect(diskFloor({ OPENTIGER_DISK_FLOOR: written })).toBe(bytes);
});

test.each(["10 g", "2gig", "none", "-1"])("%j is refused, and not taken for the default", (written) => {
  expect(() => diskFloor({ OPENTIGER_DISK_FLOOR: written })).toThrow(
    expect.objectContaining({ code: "config_invalid", remedy: expect.stringContaining("10g") }),
  );
});
