/** How numbers and times are written: as in English, with hours from 0 to 23. */
export const locale = "en-u-hc-h23";
