/** As far back as the server counts tasks. */
export const shownDays = 14;
