import { useNavigate } from "@tanstack/react-router";
import type { PageSearch } from "../router.tsx";

/** Changes what stands behind the ? of this page; what is empty goes away. It is no step back for the browser. */
export function useSearchChange(): (change: PageSearch) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: ".",
      search: (old) => Object.fromEntries(Object.entries({ ...old, ...change }).filter(([, value]) => value)),
      replace: true,
    });
}
