import { en } from "./en.ts";

/** Another language is another catalogue of the same form. */
type Widened<T> = T extends string
  ? string
  : T extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof T]: Widened<T[Key]> };
export type Words = Widened<typeof en>;

/** Every text of every page. */
export const words: Words = en;
