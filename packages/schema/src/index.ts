export * from "./errors.ts";
export * from "./sandbox.ts";
export * from "./session.ts";
