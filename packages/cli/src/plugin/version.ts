import { opentigerVersion } from "@opentiger/schema";

/**
 * The version of the `docker sandbox` vocabulary that is spoken, and ours behind it. Documents written for the
 * original ask for 0.11.0 or newer.
 */
export const pluginVersion = `0.12.0-opentiger.${opentigerVersion}`;
