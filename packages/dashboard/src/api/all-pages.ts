import { ask, type Question } from "./ask.ts";

interface Listed<Item> {
  items: Item[];
  next: number | null;
}

/** As many as the server gives at once. */
const mostAtOnce = 500;

/** Every page of a list that is shown as a whole, as the tasks of a loop are. */
export async function allPages<Item>(path: string, { signal }: Pick<Question, "signal">) {
  const items: Item[] = [];
  for (let after: number | null | undefined; after !== null; ) {
    const page: Listed<Item> = await ask("GET", path, {
      query: { limit: mostAtOnce, after },
      ...(signal ? { signal } : {}),
    });
    items.push(...page.items);
    after = page.next;
  }
  return { items };
}
