import { pluginVersion } from "./version.ts";

/** What docker asks of every plugin before it shows or starts it. */
export const pluginMetadata = {
  SchemaVersion: "0.1.0",
  Vendor: "openTiger",
  Version: pluginVersion,
  ShortDescription: "Sandboxes for coding agents, on any Docker Engine",
} as const;
