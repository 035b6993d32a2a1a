import { Dialog } from "../parts/dialog.tsx";
import { words } from "../words/words.ts";
import { pageGroups } from "./pages.ts";

const { shortcuts: text } = words.shell;

interface Shortcut {
  /** Pressed one after the other. */
  keys: readonly string[];
  does: string;
}

const groups: readonly { title?: string; shortcuts: readonly Shortcut[] }[] = [
  {
    shortcuts: [
      { keys: ["Ctrl K"], does: text.command },
      { keys: ["n"], does: text.newLoop },
      { keys: ["?"], does: text.list },
    ],
  },
  {
    title: text.pages,
    shortcuts: pageGroups.flatMap(({ pages }) =>
      pages.map(({ key, label }) => ({ keys: ["g", key], does: label })),
    ),
  },
  {
    title: text.diff,
    shortcuts: [
      { keys: ["↑", "↓"], does: text.lines },
      { keys: ["Enter"], does: text.comment },
    ],
  },
  { title: text.terminal, shortcuts: [{ keys: ["Ctrl M"], does: text.leave }] },
];

/** Every key that does something. */
export function ShortcutList({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title={text.title}>
      <div className="flex flex-col gap-5">
        {groups.map(({ title, shortcuts }) => (
          <section key={title ?? ""}>
            {title && <h3 className="mb-1 text-xs text-faint">{title}</h3>}
            <dl>
              {shortcuts.map(({ keys, does }) => (
                <div key={does} className="flex h-8 items-center justify-between gap-4 border-b border-line">
                  <dt className="truncate">{does}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {keys.map((key) => (
                      <kbd
                        key={key}
                        className="rounded-md border border-line-strong bg-sunken px-1.5 font-sans text-xs text-soft"
                      >
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
