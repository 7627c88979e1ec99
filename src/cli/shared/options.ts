import type { Command } from 'commander'
import { limitOption, numberOf } from './values.ts'

/** Adds what every verb that changes something has. */
export function changing(command: Command): Command {
  return command
    .option('--dry-run', 'count and show, change nothing')
    .option('--reason <text>', 'why, for the record')
    .option('--json', 'print JSON')
}

/** Adds which page of a list. */
export function paging(command: Command): Command {
  return command.option('--before <id>', 'older than this one', numberOf).addOption(limitOption())
}

/** The line below a list that has as many rows as were asked for: where the rest of it is, if there is any. */
export function moreLines(rows: readonly unknown[], limit: number, onward: string): string[] {
  return rows.length < limit ? [] : [`There may be more: ${onward}.`]
}

/** The options that say which, out of all that were given. */
export function filterOf(options: Record<string, unknown>): Record<string, unknown> {
  const {
    dryRun: _dryRun,
    reason: _reason,
    json: _json,
    again: _again,
    limit: _limit,
    from: _from,
    to: _to,
    ...filter
  } = options
  return filter
}
