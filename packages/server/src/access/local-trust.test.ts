import { expect, test } from "vitest";
import { trustsLocalCalls } from "./local-trust.ts";

const read = (written?: string) => trustsLocalCalls({ OPENTIGER_ALLOW_INSECURE_SYSTEM_CONTROL: written });

test.each([undefined, "", "true", "TRUE"])("A15 local calls are trusted while it is %j", (written) => {
  expect(read(written)).toBe(true);
});

test.each(["false", "False", "FALSE"])("A15 local calls need a key where it is %j", (written) => {
  expect(read(written)).toBe(false);
});

test.each(["0", "no", "off", "false "])("A15 %j is refused and not taken for a yes", (written) => {
  expect(() => read(written)).toThrow(
    expect.objectContaining({ code: "config_invalid", remedy: expect.stringMatching(/false.*true/) }),
  );
});
