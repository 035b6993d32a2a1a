import { Link } from "@tanstack/react-router";
import { words } from "../words/words.ts";
import { pageGroups } from "./pages.ts";

/** The pages, in groups. */
export function Navigation() {
  return (
    <nav aria-label={words.shell.navigation} className="flex-1 overflow-y-auto px-3">
      {pageGroups.map(({ label, pages }) => (
        <div key={label} className="mb-5">
          <p className="mb-1 px-2 text-xs font-medium text-faint">{label}</p>
          <ul>
            {pages.map(({ to, label: name, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === "/" }}
                  className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm font-medium text-soft transition-colors hover:bg-hover hover:text-ink"
                  activeProps={{
                    className: "bg-surface !text-ink shadow-raised ring-1 ring-line [&>svg]:text-brand-text",
                  }}
                >
                  <Icon aria-hidden className="size-4 text-faint" strokeWidth={1.9} />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
