import type { ReactNode } from "react";
import { type GraphNode, layOut, type PlacedNode } from "./graph-layout.ts";

const width = 232;
const height = 72;
const gapX = 48;
const gapY = 14;

interface TaskGraphProps<Node extends GraphNode> {
  label: string;
  nodes: readonly Node[];
  /** What stands in the place of a node, as large as that is. */
  card(node: Node): ReactNode;
}

/** What needs what, from left to right. The lines are only to be looked at: cards say it in words as well. */
export function TaskGraph<Node extends GraphNode>({ label, nodes, card }: TaskGraphProps<Node>) {
  const placed = layOut(nodes);
  const columns = Math.max(0, ...placed.map(({ column }) => column + 1));
  const rows = Math.max(0, ...placed.map(({ row }) => row + 1));
  const size = { width: columns * (width + gapX) - gapX, height: rows * (height + gapY) - gapY };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse
    <section aria-label={label} tabIndex={0} className="-m-2 overflow-x-auto p-2">
      <ol className="relative" style={size}>
        <li aria-hidden className="contents">
          <svg className="absolute inset-0" {...size}>
            <title>{label}</title>
            {placed.flatMap((to) => linesTo(to, placed))}
          </svg>
        </li>
        {placed.map((each) => (
          <li key={each.node.id} className="absolute" style={{ ...cornerOf(each), width, height }}>
            {card(each.node)}
          </li>
        ))}
      </ol>
    </section>
  );
}

function linesTo<Node extends GraphNode>(to: PlacedNode<Node>, placed: readonly PlacedNode<Node>[]) {
  return placed
    .filter(({ node }) => to.node.needs.includes(node.id))
    .map((from) => {
      const start = cornerOf(from);
      const end = cornerOf(to);
      const [x1, y1] = [start.left + width, start.top + height / 2];
      const [x2, y2] = [end.left, end.top + height / 2];
      // Along its own row as far as it goes, and over to the other one in the last gap, where no card is in the way.
      const turn = Math.max(x1, x2 - gapX);
      return (
        <path
          key={`${from.node.id}-${to.node.id}`}
          d={`M${x1} ${y1}H${turn}C${turn + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2} ${y2}`}
          className="fill-none stroke-line-strong"
          strokeWidth="1.5"
        />
      );
    });
}

function cornerOf({ column, row }: { column: number; row: number }) {
  return { left: column * (width + gapX), top: row * (height + gapY) };
}
