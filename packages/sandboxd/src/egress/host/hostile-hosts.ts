import fc from "fast-check";

/** The pieces that tricks with host names are made of. For tests only. */
const piece = fc.constantFrom(
  ..."aZ09.-_:[]@%/\\#?*\0\r\n \t".split(""),
  "github",
  "evil",
  "com",
  "test",
  ".com",
  "..",
  "xn--",
  "xn--bcher-kva",
  "bücher",
  "ß",
  "İ",
  "\u00ad",
  "\u200d",
  "。",
  "．",
  "１２７",
  "①",
  "％",
  "／",
  "％41",
  "%41",
  "127",
  "0177",
  "0x7f",
  "0X7F",
  "255",
  "256",
  "2130706433",
  "127.0.0.1",
  "10.0.0.1",
  "169.254.169.254",
  "::",
  "::1",
  "ffff",
  "FFFF",
  "::ffff:",
  "fe80::1",
  "%eth0",
  "64:ff9b::",
  "user:pw@",
  "https://",
  "a".repeat(63),
  "b".repeat(64),
);

const assembled = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
const dotted = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("."));
const ipv6 = fc
  .array(fc.constantFrom("0", "1", "ffff", "a9fe", "", "00000", "1.2.3.4", "g"), {
    minLength: 2,
    maxLength: 9,
  })
  .map((groups) => groups.join(":"));

export const hostileHost = fc.oneof(
  assembled,
  dotted,
  ipv6,
  ipv6.map((text) => `[${text}]`),
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.domain(),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
