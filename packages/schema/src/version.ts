/** The version of openTiger: the one place that says it. */
export const opentigerVersion = "0.1.0";
