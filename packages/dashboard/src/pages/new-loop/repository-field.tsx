import { useQuery } from "@tanstack/react-query";
import { FolderGit2 } from "lucide-react";
import { repositoriesQuery } from "../../api/system.ts";
import { classes } from "../../parts/classes.ts";
import { Field, Input } from "../../parts/field.tsx";
import { words } from "../../words/words.ts";

const text = words.newLoop;
const shown = 6;

interface RepositoryFieldProps {
  value: string;
  error: string | undefined;
  onChange(path: string): void;
}

/** A path, or one of the repositories in which loops were started before. */
export function RepositoryField({ value, error, onChange }: RepositoryFieldProps) {
  const { data } = useQuery(repositoriesQuery);
  const known = (data?.items ?? [])
    .filter(({ path }) => path.includes(value) || value === "")
    .slice(0, shown);
  return (
    <div className="flex flex-col gap-2">
      <Field label={text.repository} hint={text.repositoryHint} error={error ?? wrongOf(value)}>
        {(ids) => (
          <Input
            {...ids}
            value={value}
            spellCheck={false}
            autoCapitalize="none"
            placeholder={text.pathExample}
            onChange={(event) => onChange(event.target.value)}
            className="font-mono"
          />
        )}
      </Field>
      {known.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {known.map(({ id, path, name }) => (
            <li key={id} className="max-w-full">
              <button
                type="button"
                title={path}
                aria-pressed={value === path}
                onClick={() => onChange(path)}
                className={classes(
                  "flex h-7 max-w-full items-center gap-1.5 rounded-md border px-2 text-xs font-medium transition-colors",
                  value === path
                    ? "border-brand bg-brand-tint"
                    : "border-line-strong bg-surface hover:bg-hover",
                )}
              >
                <FolderGit2 aria-hidden className="size-3.5 shrink-0 text-faint" />
                <span className="truncate">{name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What can be told without the server: it takes no path that depends on where it was started. */
function wrongOf(path: string): string | undefined {
  return path === "" || /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? undefined : text.pathNotWhole;
}
