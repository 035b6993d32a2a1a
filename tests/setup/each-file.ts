import { afterAll } from "vitest";
import { endFile } from "./at-end.ts";
import { refuseOrphans } from "./orphans.ts";

// Vitest reads this before each test file, also where the files share what they load.
// The last of these comes first.
afterAll(refuseOrphans);
afterAll(endFile);
