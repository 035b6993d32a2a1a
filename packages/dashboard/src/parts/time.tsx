import { useSyncExternalStore } from "react";
import { words } from "../words/words.ts";

/** How long ago, or in how long; the exact time is in the title. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span>{words.common.dash}</span>;
  return (
    <time dateTime={at} title={exactTime(at)} className="numbers whitespace-nowrap">
      {relative(Date.parse(at) - now)}
    </time>
  );
}

/** From one time to another, or until now. */
export function Duration({ from, to }: { from: string; to: string | null | undefined }) {
  const now = useNow();
  return (
    <span className="numbers whitespace-nowrap">
      {duration((to ? Date.parse(to) : now) - Date.parse(from))}
    </span>
  );
}

export function exactTime(at: string): string {
  return new Date(at).toLocaleString(words.common.locale, { dateStyle: "medium", timeStyle: "medium" });
}

export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString(words.common.locale);
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

function relative(ms: number): string {
  const seconds = Math.abs(ms) / 1_000;
  if (seconds < 45) return words.common.now;
  const [amount, unit] = unitOf(seconds);
  return new Intl.RelativeTimeFormat(words.common.locale, { numeric: "auto", style: "narrow" }).format(
    Math.sign(ms) * Math.round(amount),
    unit,
  );
}

function unitOf(seconds: number): [number, Intl.RelativeTimeFormatUnit] {
  if (seconds < 2_700) return [seconds / 60, "minute"];
  if (seconds < 79_200) return [seconds / 3_600, "hour"];
  if (seconds < 2_592_000) return [seconds / 86_400, "day"];
  return [seconds / 2_592_000, "month"];
}

/** One clock for the whole page. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
