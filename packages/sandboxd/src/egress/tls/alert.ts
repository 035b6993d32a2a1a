/** A fatal alert, access_denied: what a TLS client shows instead of a bare reset. */
export const accessDenied = Buffer.from([21, 3, 3, 0, 2, 2, 49]);
