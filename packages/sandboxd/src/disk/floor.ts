const defaultFloorBytes = 2 * 1024 ** 3;
const units = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const;

/** `OPENTIGER_DISK_FLOOR`, for example 500m or 10g: below so much free space the fastest growing sandbox is paused. */
export function diskFloor(env: NodeJS.ProcessEnv): number {
  const match = /^(\d+)([kmg]?)b?$/i.exec(env["OPENTIGER_DISK_FLOOR"] ?? "");
  if (!match) return defaultFloorBytes;
  // The pattern admits these letters only.
  const unit = units[(match[2] ?? "").toLowerCase() as keyof typeof units];
  return Number(match[1]) * unit;
}
