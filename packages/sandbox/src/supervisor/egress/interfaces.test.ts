import { describe, expect, it } from "vitest";
import { refuseInterfaces } from "./interfaces.ts";

const head = "Inter-|   Receive\n face |bytes\n";
const routeHead = "Iface\tDestination\tGateway \tFlags\n";
const loopbackRoute = `${"0".repeat(32)} 00 ${"0".repeat(32)} 00 ${"0".repeat(32)} ffffffff 00000001 00000000 00200200       lo\n`;

const closed: Record<string, string> = {
  "/proc/net/dev": `${head}    lo:       0       0\n tunl0:       0       0\n`,
  "/proc/net/route": routeHead,
  "/proc/net/ipv6_route": loopbackRoute,
  "/sys/class/net/tunl0/flags": "0x80\n",
};

const look = (changed: Record<string, string | undefined>) => () =>
  refuseInterfaces((path) => ({ ...closed, ...changed })[path]);

describe("the look at the sandbox's own network", () => {
  it("is content with a loopback and what is down", () => {
    expect(look({})).not.toThrow();
    expect(look({ "/proc/net/ipv6_route": undefined, "/proc/net/route": undefined })).not.toThrow();
  });

  it.each([
    [
      "an interface that is up",
      { "/proc/net/dev": `${head}    lo: 0\n  eth0: 0\n`, "/sys/class/net/eth0/flags": "0x1003" },
    ],
    ["one of which nothing is known", { "/proc/net/dev": `${head}  eth0:12 0\n` }],
    ["a route", { "/proc/net/route": `${routeHead}eth0\t00000000\t010011AC\t0003\n` }],
    ["a route of IPv6", { "/proc/net/ipv6_route": `${loopbackRoute}${loopbackRoute.replace("lo", "eth0")}` }],
    ["not being able to look", { "/proc/net/dev": undefined }],
  ])("refuses %s", (_what, changed) => {
    expect(look(changed)).toThrow(expect.objectContaining({ code: "sandbox_broken" }));
  });
});
