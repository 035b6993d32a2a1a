import { expect, it } from "vitest";
import { parseMountinfo } from "./mountinfo.ts";

it("reads what stands where, names with blanks and backslashes too", () => {
  const text = [
    "21 28 0:20 / /proc rw,nosuid - proc proc rw",
    String.raw`640 612 254:0 /home/a\040b\134c /srv/a\040b\134c rw,relatime master:1 - ext4 /dev/vda rw`,
    "",
  ].join("\n");
  expect(parseMountinfo(text)).toEqual([
    { id: 21, device: "0:20", root: "/", target: "/proc" },
    { id: 640, device: "254:0", root: "/home/a b\\c", target: "/srv/a b\\c" },
  ]);
});
