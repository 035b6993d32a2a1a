import type { Tone } from "@opentiger/schema";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { StateIcon } from "../../parts/state-icon.tsx";
import { sayFailure } from "../../parts/toast.tsx";
import { words } from "../../words/words.ts";
import { NotRunning, type SandboxTab } from "./not-running.tsx";
import type { Screen } from "./screen.ts";
import { TerminalConnection, type TerminalState } from "./terminal-connection.ts";

const { sandbox: text } = words;

/** A shell in the sandbox. It has the size of its box, and is the same one when the connection, or the page, comes back. */
export function TerminalTab(tab: SandboxTab) {
  return tab.running ? <OpenTerminal key={tab.name} {...tab} /> : <NotRunning />;
}

function OpenTerminal({ name, environment }: SandboxTab) {
  const frame = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const connection = useRef<TerminalConnection>(undefined);
  const [state, setState] = useState<TerminalState>({ kind: "connecting" });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let screen: Screen | undefined;
    let left = false;
    const opened = new TerminalConnection(name, environment, {
      onState: (next) => {
        setState(next);
        if (next.kind === "open") screen?.focus();
      },
      onBytes: (bytes) => screen?.write(bytes),
      onHistory: (bytes) => screen?.writeAgain(bytes),
      onNewShell: () => screen?.write(newShellLine),
      size: () => screen?.size() ?? { columns: 80, rows: 24 },
    });
    connection.current = opened;
    const sized = new ResizeObserver(() => {
      screen?.fit();
      opened.resize();
    });
    void import("./screen.ts").then(({ openScreen }) => {
      if (left) return;
      screen = openScreen(element, {
        onKeys: (keys) => opened.write(keys),
        onLeave: () => frame.current?.querySelector<HTMLElement>("button")?.focus(),
      });
      sized.observe(element);
      opened.open();
    }, sayFailure);
    return () => {
      left = true;
      sized.disconnect();
      opened.leave();
      screen?.dispose();
    };
  }, [name, environment]);
  const again = () => {
    setState({ kind: "connecting" });
    connection.current?.open();
  };
  return (
    <section
      ref={frame}
      aria-label={text.terminalOf(name)}
      className="overflow-hidden rounded-md border border-line-strong"
    >
      <div className="flex h-10 items-center gap-2 border-b border-line bg-surface px-3 text-xs">
        <StateIcon tone={tones[state.kind]} />
        <span role="status" className="flex-1 truncate text-soft" data-terminal={state.kind}>
          {sentence(state)}
        </span>
        {state.kind === "open" && <span className="hidden text-faint sm:inline">{text.leaveKeys}</span>}
        {state.kind === "open" && (
          <Button onClick={() => connection.current?.end()} className="h-7">
            {text.endShell}
          </Button>
        )}
        {state.kind !== "open" && state.kind !== "connecting" && (
          <Button onClick={again} className="h-7">
            {text.again}
          </Button>
        )}
      </div>
      <div
        ref={box}
        className={classes("h-[62vh] min-h-72 bg-terminal py-2 pl-3", state.kind !== "open" && "opacity-80")}
      />
    </section>
  );
}

const tones: Readonly<Record<TerminalState["kind"], Tone>> = {
  connecting: "running",
  open: "done",
  lost: "blocked",
  ended: "cancelled",
  closed: "cancelled",
  failed: "failed",
};

function sentence(state: TerminalState): string {
  if (state.kind === "connecting") return text.connecting;
  if (state.kind === "open") return text.connected;
  if (state.kind === "lost") return text.lost;
  if (state.kind === "closed") return text.shellClosed;
  if (state.kind === "failed") return `${text.failed}: ${state.message}`;
  return text.ended(state.code === null ? words.common.unknown : String(state.code));
}

/** A dim line of our own, in front of the other shell. */
const newShellLine = `\r\n\u001B[2m── ${text.newShell} ──\u001B[0m\r\n`;
