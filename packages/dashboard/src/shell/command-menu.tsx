import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Keyboard, type LucideIcon, Plus, RefreshCw } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { newestLoopsQuery } from "../api/loops.ts";
import { classes } from "../parts/classes.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Input } from "../parts/field.tsx";
import { words } from "../words/words.ts";
import { pageGroups } from "./pages.ts";

interface Command {
  id: string;
  label: string;
  icon: LucideIcon;
  run(): void;
}

const most = 12;

interface CommandMenuProps {
  open: boolean;
  onClose(): void;
  onShortcuts(): void;
}

/** Everything that can be gone to, by its name. */
export function CommandMenu({ open, onClose, onShortcuts }: CommandMenuProps) {
  const [asked, setAsked] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const commands = useCommands(open, onShortcuts).filter(({ label }) =>
    label.toLowerCase().includes(asked.toLowerCase()),
  );
  const shown = commands.slice(0, most);
  useEffect(() => {
    if (open) setAsked("");
  }, [open]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((shown.length + chosen + step) % Math.max(1, shown.length));
    } else if (event.key === "Enter") run(shown[chosen]);
  };
  return (
    <Dialog open={open} onClose={onClose} title={words.shell.command}>
      <Input
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={shown[chosen] && `${list}-${chosen}`}
        aria-label={words.shell.command}
        placeholder={words.shell.commandHint}
        value={asked}
        onChange={(event) => {
          setAsked(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <div id={list} role="listbox" aria-label={words.shell.command} className="mt-3 flex flex-col">
        {shown.map((command, index) => (
          <div
            key={command.id}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseMove={() => setChosen(index)}
            onClick={() => run(command)}
            onKeyDown={onKey}
            className={classes(
              "flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm",
              index === chosen && "bg-hover",
            )}
          >
            <command.icon aria-hidden className="size-4 shrink-0 text-faint" />
            <span className="truncate">{command.label}</span>
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="py-4 text-center text-faint">{words.shell.commandNothing}</p>}
    </Dialog>
  );
}

function useCommands(open: boolean, onShortcuts: () => void): Command[] {
  const navigate = useNavigate();
  const { data: loops } = useQuery({ ...newestLoopsQuery, enabled: open });
  return [
    {
      id: "new",
      label: words.shell.newLoop,
      icon: Plus,
      run: () => void navigate({ to: "/loops/new" }),
    },
    ...pageGroups.flatMap(({ pages }) =>
      pages.map(({ to, label, icon }) => ({ id: to, label, icon, run: () => void navigate({ to }) })),
    ),
    { id: "shortcuts", label: words.shell.shortcuts.title, icon: Keyboard, run: onShortcuts },
    ...(loops?.items ?? []).map(({ id, requirement }) => ({
      id,
      label: `${id}  ${requirement.slice(0, 90)}`,
      icon: RefreshCw,
      run: () => void navigate({ to: "/loops/$id", params: { id } }),
    })),
  ];
}
