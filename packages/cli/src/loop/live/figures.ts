/** `8s`, `1m05s`, `2h03m`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number: number) => String(number).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}

/** `950`, `12.3k`, `4.5M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
