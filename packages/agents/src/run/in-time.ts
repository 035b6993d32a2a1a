/** What was asked for, or something else where it does not come in time or not at all. */
export async function inTime<T>(
  asked: Promise<T>,
  { ms, otherwise }: { ms: number; otherwise: T },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  try {
    return await Promise.race([asked.catch(() => otherwise), late]);
  } finally {
    clearTimeout(timer);
  }
}
