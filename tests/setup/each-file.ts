import { afterAll } from "vitest";
import { endFile } from "./at-end.ts";

// Vitest reads this before each test file, also where the files share what they load.
afterAll(endFile);
