import { describe, expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

describe("numbers for Prometheus", () => {
  test("durations are counted below every bound that they keep, and added up", () => {
    const metrics = new Metrics();
    for (const seconds of [0.004, 0.2, 60]) metrics.took("t", "How long.", { route: "/a" }, seconds);
    const lines = metrics.write().split("\n");
    expect(lines.slice(0, 2)).toEqual(["# HELP t How long.", "# TYPE t histogram"]);
    expect(lines).toContain('t_bucket{route="/a",le="0.005"} 1');
    expect(lines).toContain('t_bucket{route="/a",le="0.1"} 1');
    expect(lines).toContain('t_bucket{route="/a",le="0.25"} 2');
    expect(lines).toContain('t_bucket{route="/a",le="30"} 2');
    expect(lines).toContain('t_bucket{route="/a",le="+Inf"} 3');
    expect(lines).toContain('t_sum{route="/a"} 60.204');
    expect(lines).toContain('t_count{route="/a"} 3');
  });

  test("what is set takes the place of what was, and has its kind", () => {
    const metrics = new Metrics();
    metrics.set("g", "A gauge.", [[{ status: "old" }, 3]]);
    metrics.set("g", "A gauge.", [[{ status: 'new\n"x' }, 1]]);
    metrics.setTotal("c", "A counter.", [[{}, 2]]);
    expect(metrics.write()).toBe(
      '# HELP g A gauge.\n# TYPE g gauge\ng{status="new\\n\\"x"} 1\n# HELP c A counter.\n# TYPE c counter\nc 2\n',
    );
  });
});
