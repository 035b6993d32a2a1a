import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { secretsQuery } from "../../api/secrets.ts";
import type { Secrets } from "../../api/types.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Remedy } from "../../parts/notes.tsx";
import { Card } from "../../parts/page.tsx";
import { words } from "../../words/words.ts";

type Warning = Secrets["warnings"][number];

/** Logins that are about to end, or have: nothing where there is none. */
export function LoginWarnings() {
  const warnings = useLoginWarnings();
  if (warnings.length === 0) return null;
  return (
    <Card className="mb-6">
      <ul className="divide-y divide-line">
        {warnings.map((warning) => (
          <LoginWarning key={warning.secret} warning={warning} />
        ))}
      </ul>
    </Card>
  );
}

export function LoginWarning({ warning: { message, remedy } }: { warning: Warning }) {
  return (
    <li className="flex gap-3 px-4 py-3">
      <KeyRound aria-hidden className="mt-0.75 size-3.5 text-blocked" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{message}</p>
        {remedy.map((line) => (
          <Remedy key={line} text={line} />
        ))}
      </div>
      <ButtonLink to="/secrets">{words.overview.look}</ButtonLink>
    </li>
  );
}

export function useLoginWarnings(): readonly Warning[] {
  const { data: secrets } = useQuery(secretsQuery);
  return secrets?.warnings ?? [];
}
