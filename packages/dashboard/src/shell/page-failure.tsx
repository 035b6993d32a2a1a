import type { ErrorComponentProps } from "@tanstack/react-router";
import { ErrorNote } from "../parts/notes.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";

/** One page failed; those around it work on. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  return (
    <Page title={words.errors.page} lead={words.errors.pageRemedy}>
      <ErrorNote error={error} retry={reset} />
    </Page>
  );
}
