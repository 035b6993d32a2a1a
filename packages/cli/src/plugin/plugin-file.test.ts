import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { installPlugin, pluginPath, uninstallPlugin } from "./plugin-file.ts";

const program = { node: "/usr/bin/node", bundles: "/opt/opentiger" };
let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plugin-"));
  path = pluginPath({ HOME: home });
});
afterEach(() => rmSync(home, { recursive: true }));

describe("installing the plugin", () => {
  test("goes where docker looks, also with DOCKER_CONFIG", () => {
    expect(path).toBe(join(home, ".docker/cli-plugins/docker-sandbox"));
    expect(pluginPath({ HOME: home, DOCKER_CONFIG: "/etc/mine" })).toBe(
      "/etc/mine/cli-plugins/docker-sandbox",
    );
  });

  test("makes an executable, and leaves nothing else", () => {
    expect(installPlugin(path, program, {})).toEqual({ path, change: "installed" });
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(dirname(path))).toEqual(["docker-sandbox"]);
  });

  test("twice changes nothing; with another node it is updated", () => {
    installPlugin(path, program, {});
    expect(installPlugin(path, program, {}).change).toBe("unchanged");
    expect(installPlugin(path, { ...program, node: "/other/node" }, {}).change).toBe("updated");
  });

  test("does not replace somebody else's file, unless forced", () => {
    put("#!/bin/sh\necho theirs\n");
    expect(() => installPlugin(path, program, {})).toThrow(expect.objectContaining({ code: "plugin_taken" }));
    expect(readFileSync(path, "utf8")).toContain("theirs");
    expect(installPlugin(path, program, { force: true }).change).toBe("updated");
  });

  test("takes a link for somebody else's, and replaces the link, not what it points at", () => {
    const target = join(home, "target");
    writeFileSync(target, "precious");
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
    expect(() => installPlugin(path, program, {})).toThrow(expect.objectContaining({ code: "plugin_taken" }));
    installPlugin(path, program, { force: true });
    expect(readFileSync(target, "utf8")).toBe("precious");
  });

  test("a folder that cannot be made is a clear error", () => {
    writeFileSync(join(home, ".docker"), "");
    expect(() => installPlugin(path, program, {})).toThrow(/cannot be written/);
  });
});

describe("uninstalling the plugin", () => {
  test("removes ours, and says when there is none", () => {
    expect(uninstallPlugin(path)).toBe(false);
    installPlugin(path, program, {});
    expect(uninstallPlugin(path)).toBe(true);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test("leaves somebody else's", () => {
    put("#!/bin/sh\n");
    expect(() => uninstallPlugin(path)).toThrow(expect.objectContaining({ code: "plugin_taken" }));
  });
});

function put(text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
