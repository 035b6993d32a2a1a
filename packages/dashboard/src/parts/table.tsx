import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import { Card } from "./page.tsx";

export interface Column<Row> {
  title: string;
  cell(row: Row): ReactNode;
  /** Numbers stand right, under each other. */
  align?: "right";
  /** Left out where there is no room for it. */
  wideOnly?: boolean;
  className?: string;
}

interface TableProps<Row> {
  /** What it is a list of, for those who do not see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string | number;
}

/** A list with columns. What a row leads to is a link in its first cell, which reaches over the whole row. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <Card className="overflow-x-auto">
      <table className="w-full border-collapse text-left" aria-label={label}>
        <thead>
          <tr className="border-b border-line text-xs text-faint">
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classes(cellClass(column), "h-9 font-medium")}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="relative border-b border-line transition-colors last:border-0 hover:bg-hover"
            >
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={classes(
                    cellClass(column),
                    "h-11",
                    column.align === "right" && "whitespace-nowrap",
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** For the link of a row: all of the row can be pressed. */
export const rowLink = "font-medium text-ink after:absolute after:inset-0 hover:underline underline-offset-2";

function cellClass<Row>({ align, wideOnly, className }: Column<Row>): string {
  return classes(
    "px-3 py-2 first:pl-4 last:pr-4",
    align === "right" && "numbers text-right",
    wideOnly && "hidden md:table-cell",
    className,
  );
}
