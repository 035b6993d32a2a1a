import { Link } from "@tanstack/react-router";
import { words } from "../words/words.ts";

/** The mark and the name, which lead home. */
export function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 rounded-md text-base font-semibold tracking-tight">
      <svg viewBox="0 0 24 24" aria-hidden className="size-5.5">
        <rect width="24" height="24" rx="6" className="fill-brand" />
        <path
          d="M6 6.5c2.5 1 4 3 4.2 6M18 6.5c-2.5 1-4 3-4.2 6M12 5v6M7 17.5c1.6-1.3 3.2-2 5-2s3.4.7 5 2"
          fill="none"
          className="stroke-on-brand"
          strokeWidth="2"
          strokeLinecap="round"
        />
      </svg>
      {words.shell.product}
    </Link>
  );
}
