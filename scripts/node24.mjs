#!/usr/bin/env node
import { checkNodeVersions } from "./node24/versions.mjs";
import { prepare } from "./setup/prepare.mjs";
import { sentence } from "./suites/tally.mjs";

await prepare({ engine: false });
const tally = await checkNodeVersions((line) => console.log(line));
console.log(sentence(tally));
process.exitCode = tally.failed > 0 ? 1 : 0;
