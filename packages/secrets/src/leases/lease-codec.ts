import { VaultError } from "../errors.ts";
import type { Codec } from "../storage/versioned-file.ts";
import { type LeaseBook, leaseBook } from "./lease.ts";

/** In clear: a lease says who may ask for what, and holds no value. */
export const leaseCodec: Codec<LeaseBook> = {
  encode: async (book) => Buffer.from(`${JSON.stringify(book)}\n`),

  async decode(bytes, { path }) {
    try {
      return leaseBook.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
    } catch {
      // No older version is offered: it may hold leases that were revoked since.
      throw new VaultError("vault_unreadable", `the leases in ${path} are damaged, so that none is good`, {
        remedy: "end them all and start afresh: opentiger secrets revoke --all",
      });
    }
  },
};
