import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Monitor, Moon, Sun } from "lucide-react";
import { systemQuery } from "../api/system.ts";
import { classes } from "../parts/classes.ts";
import { type Scheme, schemes, useScheme } from "../theme/scheme.ts";
import { words } from "../words/words.ts";
import { ConnectionMark } from "./connection-mark.tsx";

const { shell } = words;
const icons = { system: Monitor, light: Sun, dark: Moon } as const;
const labels: Readonly<Record<Scheme, string>> = {
  system: shell.themeSystem,
  light: shell.themeLight,
  dark: shell.themeDark,
};

/** What is always to be seen: whether this is live, where agents run, and in which light. */
export function Standing() {
  const [scheme, setScheme] = useScheme();
  const { data: system } = useQuery(systemQuery);
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3">
      {system && (
        <Link
          to="/system"
          className="flex items-center justify-between rounded-md px-2 py-1 text-xs text-faint hover:bg-hover"
        >
          {shell.environment}
          <span className="font-medium text-ink">
            {words.states.environments[system.executionEnvironment]}
          </span>
        </Link>
      )}
      <div className="flex items-center justify-between px-2">
        <ConnectionMark />
        <fieldset className="flex gap-0.5 rounded-md border border-line p-0.5">
          <legend className="sr-only">{shell.theme}</legend>
          {schemes.map((each) => {
            const Icon = icons[each];
            return (
              <button
                key={each}
                type="button"
                aria-pressed={scheme === each}
                aria-label={labels[each]}
                title={labels[each]}
                onClick={() => setScheme(each)}
                className={classes(
                  "grid size-6 place-items-center rounded-md transition-colors",
                  scheme === each ? "bg-surface text-ink shadow-raised" : "text-faint hover:text-ink",
                )}
              >
                <Icon aria-hidden className="size-3.5" />
              </button>
            );
          })}
        </fieldset>
      </div>
    </div>
  );
}
