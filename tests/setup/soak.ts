/** `npm run soak`: the same proofs at full size. */
export const soak = process.env["OPENTIGER_SOAK"] === "1";
