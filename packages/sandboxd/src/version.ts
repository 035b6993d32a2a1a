/** The version of openTiger that this daemon belongs to. */
export const sandboxdVersion = "0.1.0";
