import { defaultNetworkSettings, type NetworkSettings } from "@opentiger/schema";
import { describe, expect, test } from "vitest";
import { parseAddress } from "../host/address.ts";
import { blockedAddress } from "./address-check.ts";
import { ownAddresses } from "./ranges.ts";

const byWildcard = { skipsRanges: false };
const byExactRule = { skipsRanges: true };

function blocked(address: string, settings: Partial<NetworkSettings> = {}, decision = byWildcard) {
  return blockedAddress({ ...defaultNetworkSettings, ...settings }, decision, address, () => [])?.rule;
}

describe("the address that would be dialled", () => {
  test.each([
    "0.0.0.0",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.64.0.5",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::10.0.0.1",
    "2002:7f00:1::",
    "2001:0:1::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "not an address",
  ])("%s is closed", (address) => {
    expect(blocked(address)).toEqual(expect.any(String));
  });

  test.each([
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.32.0.1",
    "198.20.0.1",
    "223.255.255.255",
    "2606:4700::1",
  ])("%s is open", (address) => {
    expect(blocked(address)).toBeUndefined();
  });

  test("an exact rule or a range of the user's opens a private address, and says which blocked it before", () => {
    expect(blocked("10.0.0.1")).toBe("private range 10.0.0.0/8");
    expect(blocked("10.0.0.1", {}, byExactRule)).toBeUndefined();
    expect(blocked("10.0.0.1", { allowCidrs: ["10.0.0.0/16"] })).toBeUndefined();
    expect(blocked("10.0.0.1", { bypassCidrs: ["10.0.0.0/16"] })).toBeUndefined();
  });

  test("of two ranges the narrower decides, and block between equals", () => {
    const narrow = { allowCidrs: ["10.0.0.0/8", "1.1.1.0/24"], blockCidrs: ["10.0.0.0/16", "1.1.1.0/24"] };
    expect(blocked("10.0.0.1", narrow)).toBe("block-cidr 10.0.0.0/16");
    expect(blocked("10.1.0.1", narrow)).toBeUndefined();
    expect(blocked("1.1.1.1", narrow)).toBe("block-cidr 1.1.1.0/24");
  });

  test.each([
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fe80::1",
  ])("%s is never reached, whatever the rules say", (address) => {
    const everything = { allowCidrs: ["0.0.0.0/0", "::/0"] };
    expect(blocked(address, everything, byExactRule)).toMatch(/^never /);
  });

  test("an address of this machine is closed although it is a public one", () => {
    const own = [parseAddress("203.0.113.7")].flatMap((address) => address ?? []);
    const settings = { ...defaultNetworkSettings };
    expect(blockedAddress(settings, byWildcard, "203.0.113.7", () => own)?.rule).toBe(
      "address of this machine 203.0.113.7",
    );
    expect(blockedAddress(settings, byWildcard, "203.0.113.8", () => own)).toBeUndefined();
    expect(ownAddresses()).toContainEqual(parseAddress("127.0.0.1"));
  });
});
