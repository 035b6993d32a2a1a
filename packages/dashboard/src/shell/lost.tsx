import { Compass } from "lucide-react";
import { ButtonLink } from "../parts/button.tsx";
import { EmptyState } from "../parts/notes.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";

/** An address of which nobody knows anything. */
export function Lost() {
  return (
    <Page title={words.errors.notFound}>
      <EmptyState
        icon={Compass}
        title={words.errors.notFound}
        action={<ButtonLink to="/">{words.errors.home}</ButtonLink>}
      >
        {words.errors.notFoundHint}
      </EmptyState>
    </Page>
  );
}
