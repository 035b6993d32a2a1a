import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";

/** Every colour that a terminal has, by what it is called here; the values are tokens, as all others. */
const colours = [
  "background",
  "foreground",
  "cursor",
  "cursorAccent",
  "selectionBackground",
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "brightBlack",
  "brightRed",
  "brightGreen",
  "brightYellow",
  "brightBlue",
  "brightMagenta",
  "brightCyan",
  "brightWhite",
] as const satisfies readonly (keyof ITheme)[];

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
    theme: themeOf(element),
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

/** What theme.css says; `brightRed` is `--terminal-bright-red` there. */
function themeOf(element: HTMLElement): ITheme {
  const style = getComputedStyle(element);
  const written = (name: string) =>
    style.getPropertyValue(`--terminal-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  return Object.fromEntries(colours.map((name) => [name, written(name)]));
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
