import { SandboxError } from "@opentiger/sandbox";
import { sizeOf } from "@opentiger/schema";

const usualFloor = "2g";

/** `OPENTIGER_DISK_FLOOR`, for example 500m or 10g: below so much free space the fastest growing sandbox is paused. */
export function diskFloor(env: NodeJS.ProcessEnv): number {
  const written = env["OPENTIGER_DISK_FLOOR"] || usualFloor;
  // Nothing is a floor too: who writes it wants no sandbox to be paused.
  if (/^0+[bkmgt]?$/i.test(written)) return 0;
  const bytes = sizeOf(written);
  if (bytes !== undefined) return bytes;
  throw new SandboxError("config_invalid", `OPENTIGER_DISK_FLOOR=${written} is not a size`, {
    remedy: "set it to a size such as 500m or 10g, or leave it out for 2g",
  });
}
