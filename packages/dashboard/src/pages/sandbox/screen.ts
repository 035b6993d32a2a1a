import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";

/** The same in light and in dark, as terminals are. */
const theme = {
  background: "#14110f",
  foreground: "#ece8e3",
  cursor: "#f08a3c",
  cursorAccent: "#14110f",
  selectionBackground: "#5a3a20",
  black: "#2a2521",
  red: "#ee7b70",
  green: "#83c88a",
  yellow: "#e5bd5f",
  blue: "#7fb2f0",
  magenta: "#cf9be8",
  cyan: "#74c7c9",
  white: "#d8d2ca",
  brightBlack: "#8b837a",
  brightRed: "#ff9a8f",
  brightGreen: "#a1e0a7",
  brightYellow: "#f5d487",
  brightBlue: "#a5ccff",
  brightMagenta: "#e3bdf5",
  brightCyan: "#9be0e1",
  brightWhite: "#ffffff",
};

export interface Screen {
  write(data: string | Uint8Array): void;
  /** What was written before: programs that asked the terminal something then have their answer. */
  writeAgain(data: Uint8Array): void;
  focus(): void;
  fit(): void;
  size(): { columns: number; rows: number };
  dispose(): void;
}

interface ScreenOptions {
  onKeys(keys: Uint8Array<ArrayBuffer>): void;
  /** Somebody wants to be elsewhere on the page. */
  onLeave(): void;
}

/** A terminal on an element, which takes its size. Loaded only by whoever opens one. */
export function openScreen(element: HTMLElement, { onKeys, onLeave }: ScreenOptions): Screen {
  const terminal = new Terminal({
    theme,
    fontFamily: '"JetBrains Mono", ui-monospace, monospace',
    fontSize: 13,
    lineHeight: 1.25,
    cursorBlink: true,
    scrollback: 10_000,
    screenReaderMode: true,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(element);
  fit.fit();
  terminal.attachCustomKeyEventHandler((event) => {
    const kept = keptFromShell(event);
    if (kept === "leave" && event.type === "keydown") {
      event.preventDefault();
      onLeave();
    }
    return kept === undefined;
  });
  const encoder = new TextEncoder();
  let repeating = 0;
  const say = (keys: Uint8Array<ArrayBuffer>) => {
    if (repeating === 0) onKeys(keys);
  };
  terminal.onData((text) => say(encoder.encode(text)));
  terminal.onBinary((text) => say(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
  return {
    write: (data) => terminal.write(data),
    writeAgain: (data) => {
      repeating += 1;
      terminal.write(data, () => {
        repeating -= 1;
      });
    },
    focus: () => terminal.focus(),
    fit: () => fit.fit(),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    dispose: () => terminal.dispose(),
  };
}

/**
 * The two keys that a shell does not get, since it takes all others, Tab among them: Ctrl K is the page's, and Ctrl M,
 * which to a shell is the same as Enter, leaves the terminal.
 */
function keptFromShell({
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
}: KeyboardEvent): "page" | "leave" | undefined {
  if (altKey || shiftKey || (!ctrlKey && !metaKey)) return undefined;
  if (key === "k") return "page";
  return key === "m" && ctrlKey ? "leave" : undefined;
}
