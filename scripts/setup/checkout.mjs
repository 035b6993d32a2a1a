import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this checkout. */
export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** A place in the checkout. @param {...string} parts */
export function inCheckout(...parts) {
  return join(CHECKOUT, ...parts);
}

/** The file that runs a tool installed in this checkout. @param {string} name */
export function tool(name) {
  return inCheckout("node_modules", ".bin", name);
}
