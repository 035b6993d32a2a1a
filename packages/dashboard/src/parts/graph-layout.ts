export interface GraphNode {
  id: string;
  needs: readonly string[];
}

export interface PlacedNode<Node extends GraphNode> {
  node: Node;
  /** Columns and rows, from 0. */
  column: number;
  row: number;
}

/**
 * Each node right of all that it needs, and in its column near to them. What is needed but not there, or needed in a
 * circle, is passed over: a plan that is being edited may be wrong for a while.
 */
export function layOut<Node extends GraphNode>(nodes: readonly Node[]): PlacedNode<Node>[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const columns = new Map<string, number>();
  const columnOf = (node: Node, path: ReadonlySet<string>): number => {
    const known = columns.get(node.id);
    if (known !== undefined) return known;
    const needed = node.needs.flatMap((id) => byId.get(id) ?? []).filter(({ id }) => !path.has(id));
    const within = new Set([...path, node.id]);
    const column = Math.max(-1, ...needed.map((each) => columnOf(each, within))) + 1;
    columns.set(node.id, column);
    return column;
  };
  for (const node of nodes) columnOf(node, new Set([node.id]));
  return rowsOf(nodes, columns);
}

function rowsOf<Node extends GraphNode>(
  nodes: readonly Node[],
  columns: ReadonlyMap<string, number>,
): PlacedNode<Node>[] {
  const last = Math.max(-1, ...columns.values());
  const rows = new Map<string, number>();
  const placed: PlacedNode<Node>[] = [];
  for (let column = 0; column <= last; column += 1) {
    const here = nodes.filter(({ id }) => columns.get(id) === column);
    const wished = (node: Node) => {
      const known = node.needs.flatMap((id) => rows.get(id) ?? []);
      return known.length === 0 ? 0 : known.reduce((sum, row) => sum + row, 0) / known.length;
    };
    for (const [row, node] of here.toSorted((left, right) => wished(left) - wished(right)).entries()) {
      rows.set(node.id, row);
      placed.push({ node, column, row });
    }
  }
  return placed;
}
