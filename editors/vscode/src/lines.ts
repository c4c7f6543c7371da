// Which lines of a file have which role: a line belongs to the innermost symbol around it.

import type { Role, RoleRange } from "./protocol";

/** Lines from the first to the last, both included, counted from 0. */
export interface Lines {
  first: number;
  last: number;
}

/** The lines of each role, in runs. */
export function linesByRole(ranges: readonly RoleRange[]): Map<Role, Lines[]> {
  const size = ({ range }: RoleRange) => range.end.line - range.start.line;
  const roles: Role[] = [];
  // Larger symbols come first, and those within them overwrite their lines.
  for (const { range, role } of [...ranges].sort((a, b) => size(b) - size(a))) {
    for (let line = range.start.line; line <= range.end.line; line += 1) roles[line] = role;
  }
  const found = new Map<Role, Lines[]>();
  roles.forEach((role, line) => {
    const runs = found.get(role) ?? [];
    const run = runs.at(-1);
    if (run?.last === line - 1) run.last = line;
    else runs.push({ first: line, last: line });
    found.set(role, runs);
  });
  return found;
}
