import type { Command } from 'commander'

/** Adds what selects deliveries. */
export function selectDeliveries(command: Command): Command {
  return command
    .option('--destination <name>', 'owed to this destination')
    .option('--state <state>', 'waiting, claimed, held, delivered, dead, skipped or superseded')
    .option('--kind <kind>', 'of events of this kind')
    .option('--flow <flow>', 'of this flow')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .option('--event <id>', 'of this event')
    .option('--since <when>', 'of events taken since: 2h, 3d, or 2026-11-20T08:00Z')
    .option('--until <when>', 'of events taken before')
}

/** Adds what selects events. */
export function selectEvents(command: Command): Command {
  return command
    .option('--kind <kind>', 'of this kind')
    .option('--state <state>', 'routed, unrouted or quarantined')
    .option('--conflict', 'that contradict an earlier one')
    .option('--reused-key', 'that came under the event id of another one')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .option('--since <when>', 'taken since: 2h, 3d, or 2026-11-20T08:00Z')
    .option('--until <when>', 'taken before')
}

/** Adds what every verb that changes something has. */
export function changing(command: Command): Command {
  return command
    .option('--dry-run', 'count and show, change nothing')
    .option('--reason <text>', 'why, for the record')
    .option('--json', 'print JSON')
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
