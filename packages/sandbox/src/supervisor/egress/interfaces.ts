import { readFileSync } from "node:fs";
import { RefusedError } from "../refusals.ts";

const isUp = 0x1;

/** Refuses unless this sandbox's own loopback is the only network it has. */
export function refuseInterfaces(read: (path: string) => string | undefined = readIfThere): void {
  const devices = read("/proc/net/dev");
  if (devices === undefined) throw found("its interfaces cannot be seen");
  const [foreign] = namesIn(devices).filter((name) => name !== "lo" && !isDown(read, name));
  if (foreign !== undefined) throw found(`the interface ${foreign} is up`);
  const routes = [
    ...routesIn(read("/proc/net/route"), 1, 0),
    ...routesIn(read("/proc/net/ipv6_route"), 0, -1),
  ];
  const [route] = routes.filter((device) => device !== "lo");
  if (route !== undefined) throw found(`there is a route through ${route}`);
}

function namesIn(devices: string): string[] {
  return devices.split("\n").flatMap((line) => /^\s*([^\s:]+):/.exec(line)?.[1] ?? []);
}

/** Kernels put some tunnels into every network namespace; they are nothing until somebody with the right raises them. */
function isDown(read: (path: string) => string | undefined, name: string): boolean {
  const flags = Number(read(`/sys/class/net/${name}/flags`) ?? isUp);
  return (flags & isUp) === 0;
}

/** The devices of a table of routes, which stand in this column. */
function routesIn(table: string | undefined, headLines: number, column: number): string[] {
  const lines = (table ?? "").split("\n").filter(Boolean).slice(headLines);
  return lines.map((line) => line.trim().split(/\s+/).at(column) ?? "");
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function found(what: string): RefusedError {
  return new RefusedError("sandbox_broken", `this sandbox should have no network of its own, but ${what}`);
}
