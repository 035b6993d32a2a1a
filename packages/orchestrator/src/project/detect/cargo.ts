import type { Kind } from "./kind.ts";

export const cargo: Kind = {
  name: "cargo",
  detect: async (files) => {
    const manifest = await files.text("Cargo.toml");
    if (manifest === undefined) return undefined;
    const locked = files.has("Cargo.lock");
    const workspace = /^\[workspace[\].]/m.test(manifest) ? " --workspace" : "";
    return {
      detected: `cargo (${locked ? "Cargo.lock" : "Cargo.toml"})`,
      setup: [locked ? "cargo fetch --locked" : "cargo fetch"],
      verify: [{ command: `cargo test${workspace}` }],
      // Tests within the sources cannot be told from them.
      testPaths: ["**/{tests,benches}/**"],
      // It can switch the tests of a crate off.
      protectedPaths: [
        "**/Cargo.toml",
        "**/.cargo/**",
        "rust-toolchain{,.toml}",
        "**/{clippy,rustfmt,nextest}.toml",
      ],
      lockFiles: ["Cargo.lock", ".cargo/**", "rust-toolchain{,.toml}", ...(locked ? [] : ["**/Cargo.toml"])],
    };
  },
};
