import { type Check, type Finding, fail } from "./check.ts";
import type { Ward } from "./ward.ts";

export interface Found extends Finding {
  check: string;
}

/** On a busy machine; an engine or a disk that takes longer to answer is in trouble itself. */
const usualTimeoutMs = 15_000;

/** All of them at the same time, none for longer than it may take. The findings stand in the order of the checks. */
export async function runChecks(checks: readonly Check[], ward: Ward): Promise<Found[]> {
  const looks = checks.map(async (check) =>
    (await bounded(check, ward)).map((finding) => ({ check: check.name, ...finding })),
  );
  return (await Promise.all(looks)).flat();
}

async function bounded(check: Check, ward: Ward): Promise<Finding[]> {
  const { timeoutMs = usualTimeoutMs } = check;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([takesTooLong(timeoutMs)]), timeoutMs);
  });
  try {
    return await Promise.race([Promise.resolve(check.look(ward)), late]);
  } catch (error) {
    return [failure(error)];
  } finally {
    clearTimeout(timer);
  }
}

/** Errors of ours say what mends them. */
export function failure(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof Error && "remedy" in error ? error.remedy : undefined;
  return fail(message, typeof remedy === "string" ? remedy : "OPENTIGER_DEBUG=1 shows where it happened");
}

function takesTooLong(timeoutMs: number): Finding {
  return fail(
    `no answer within ${timeoutMs / 1_000} seconds`,
    "look whether the machine is busy, then try again",
  );
}
