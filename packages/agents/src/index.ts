export type * from "./driver.ts";
