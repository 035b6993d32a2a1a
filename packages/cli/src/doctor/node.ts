import { type Check, fail, ok } from "./check.ts";
import { isBefore, parseVersion } from "./versions.ts";

/** What `engines` of package.json says. */
const oldest = "20.19";

export const nodeCheck: Check = {
  name: "node",
  look() {
    const [own, needed] = [parseVersion(process.version), parseVersion(oldest)];
    if (own && needed && isBefore(own, needed))
      return [fail(`Node ${process.version} is too old`, `install Node ${oldest} or newer`)];
    return [ok(`Node ${process.version}`)];
  },
};
