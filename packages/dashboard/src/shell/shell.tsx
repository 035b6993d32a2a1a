import { Outlet, useRouterState } from "@tanstack/react-router";
import { Menu, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Toasts } from "../parts/toast.tsx";
import { words } from "../words/words.ts";
import { Brand } from "./brand.tsx";
import { CommandMenu } from "./command-menu.tsx";
import { ConnectionBanner, ConnectionMark } from "./connection-mark.tsx";
import { Navigation } from "./navigation.tsx";
import { ShortcutList } from "./shortcut-list.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { Standing } from "./standing.tsx";

/** What is around every page. */
export function Shell() {
  const [commands, setCommands] = useState(false);
  const [menu, setMenu] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [keys, setKeys] = useState(false);
  useShortcuts({ onCommand: () => setCommands((open) => !open), onList: () => setKeys(true) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere is done with the menu
  useEffect(() => setMenu(false), [path]);
  const openCommands = () => {
    setMenu(false);
    setCommands(true);
  };
  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-ink px-3 py-2 text-on-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {words.shell.skip}
      </a>
      <aside className="sticky top-0 hidden h-dvh w-57 shrink-0 flex-col border-r border-line bg-sunken lg:flex">
        <div className="flex h-14 items-center px-4">
          <Brand />
        </div>
        <SearchButton onOpen={openCommands} />
        <Navigation />
        <Standing />
      </aside>
      <header className="sticky top-0 z-30 flex h-13 items-center justify-between border-b border-line bg-canvas px-4 lg:hidden">
        <Brand />
        <div className="flex items-center gap-1">
          <ConnectionMark />
          <Button look="quiet" icon={Search} label={words.shell.command} onClick={openCommands} />
          <Button look="quiet" icon={Menu} label={words.shell.menu} onClick={() => setMenu(true)} />
        </div>
      </header>
      <div className="min-w-0 flex-1">
        <ConnectionBanner />
        <main id="content" tabIndex={-1} className="outline-none">
          <Outlet />
        </main>
      </div>
      <Dialog open={menu} onClose={() => setMenu(false)} title={words.shell.menu}>
        <Navigation />
        <Standing />
      </Dialog>
      <CommandMenu open={commands} onClose={() => setCommands(false)} onShortcuts={() => setKeys(true)} />
      <ShortcutList open={keys} onClose={() => setKeys(false)} />
      <Toasts />
    </div>
  );
}

function SearchButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="mx-3 mb-3 flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-faint shadow-raised transition-colors hover:text-ink"
    >
      <Search aria-hidden className="size-3.5" />
      <span className="flex-1 text-left">{words.common.search}</span>
      <kbd className="font-sans text-xs">{words.shell.commandKeys}</kbd>
    </button>
  );
}
