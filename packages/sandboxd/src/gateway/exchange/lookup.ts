import type { LookupFunction } from "node:net";
import { resolver, systemResolver } from "../../egress/dial/resolve.ts";

/** Names of the models' APIs are resolved as all others are: by OPENTIGER_DNS_SERVERS, where it is set. */
export function apiLookup(env: NodeJS.ProcessEnv): LookupFunction {
  const ask = resolver(env);
  return (name, options, found) => {
    (name === "localhost" ? systemResolver : ask)(name).then(
      (addresses) => {
        const wanted = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
        if (options.all) found(null, wanted);
        else found(null, wanted[0]?.address ?? "", wanted[0]?.family);
      },
      (error: NodeJS.ErrnoException) => found(error, "", 0),
    );
  };
}
