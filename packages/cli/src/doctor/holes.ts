import { z } from "zod";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";
import { holesAsOf, holesOf, type KnownHole } from "./known-holes.ts";
import { isDistributionBuild } from "./versions.ts";

const versions = z.object({
  Components: z
    .array(
      z.object({
        Name: z.string(),
        Version: z.string(),
        Details: z.object({ GitCommit: z.string() }).partial().nullish(),
      }),
    )
    .default([]),
});

const components = { Engine: "Docker Engine", runc: "runc" } as const;

/** By their numbers alone: nobody attacks anything here. */
export const holesCheck: Check = {
  name: "holes",
  async look(ward) {
    if (!(await ward.reachable())) return [];
    const { Components } = versions.parse(await ward.engine.docker.version());
    const looked = Components.flatMap(({ Name, Version, Details }) => {
      const component = Name === "Engine" || Name === "runc" ? components[Name] : undefined;
      if (!component) return [];
      const built = isDistributionBuild(`${Version} ${Details?.GitCommit ?? ""}`);
      return [judge(`${component} ${Version}`, holesOf(component, Version), built)];
    });
    return looked.length > 0 ? looked : [ok("the engine does not say what it is made of")];
  },
};

function judge(what: string, holes: readonly KnownHole[], built: boolean): Finding {
  const newest = holes.at(-1);
  if (!newest) return ok(`${what}: none known (as of ${holesAsOf})`);
  const message = `${what} has ${holes.map(({ cves, about }) => `${cves.join(", ")} (${about})`).join("; ")}`;
  const update = `update it to ${newest.fixedIn.join(" or ")}, or newer`;
  if (built)
    return warn(
      `${message}, if its distribution has not mended it under the same number`,
      `${update}; or look into the changelog of its package`,
    );
  return holes.some(({ severity }) => severity === "fail") ? fail(message, update) : warn(message, update);
}
