export * from "./agent.ts";
export * from "./errors.ts";
export * from "./network.ts";
export * from "./sandbox.ts";
export * from "./session.ts";
export * from "./version.ts";
