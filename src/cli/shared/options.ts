import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { formatInstant, readInstant } from '../../domain/values/instant.ts'

export function changing(command: Command): Command {
  return command
    .option('--dry-run', 'count and show, change nothing')
    .option('--reason <text>', 'why, for the record')
    .option('--json', 'print JSON')
}

export function paging(command: Command): Command {
  return command.option('--before <id>', 'older than this one', numberOf).addOption(limitOption())
}

export function moreLines(rows: readonly unknown[], limit: number, onward: string): string[] {
  return rows.length < limit ? [] : [`There may be more: ${onward}.`]
}

const NO_FILTER = new Set(['dryRun', 'reason', 'json', 'again', 'limit', 'from', 'to'])

export function filterOf(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !NO_FILTER.has(name)))
}

export function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number, such as 77.')
}

export function limitOption(words = 'so many, 500 at most'): Option {
  return new Option('--limit <n>', words).argParser(countOf).default(50)
}

function countOf(text: string): number {
  if (/^0*[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number from 1, such as 50.')
}

/** "2h" is left to the hub's clock. */
function instantForHub(text: string): string {
  const instant = readInstant(text, Date.now())
  if (instant === null)
    throw new InvalidArgumentError('It is an instant, such as 2026-11-20T08:00Z, or how long ago: 45m, 2h, 3d.')
  return /[smhd]$/.test(text) ? text : formatInstant(instant)
}

export function idArgument(
  name: '<id>' | '[id]',
  list: 'events list' | 'deliveries list' | 'audit list' | 'gaps list',
): Argument {
  return new Argument(name, `its number, as "${list}" shows it`).argParser(numberOf)
}

export function instantOption(flags: string, words: string): Option {
  return new Option(flags, `${words}: 2h, 3d, or 2026-11-20T08:00Z`).argParser(instantForHub)
}

export function choice(flags: string, words: string, choices: readonly string[]): Option {
  return new Option(flags, words).choices(choices)
}

const EVENT_STATES = ['routed', 'unrouted', 'quarantined']
const DELIVERY_STATES = ['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded']

export function selectDeliveries(command: Command): Command {
  return command
    .option('--destination <name>', 'owed to this destination')
    .addOption(choice('--state <state>', 'in this state', DELIVERY_STATES))
    .option('--kind <kind>', 'of events of this kind')
    .option('--flow <flow>', 'of this flow')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .option('--event <id>', 'of this event', numberOf)
    .option('--code <code>', 'failed or held with this code, such as unbalanced (deliveries show tells it)')
    .addOption(instantOption('--since <when>', 'of events taken since'))
    .addOption(instantOption('--until <when>', 'of events taken before'))
}

export function selectEvents(command: Command): Command {
  return command
    .option('--kind <kind>', 'of this kind')
    .addOption(choice('--state <state>', 'in this state', EVENT_STATES))
    .option('--conflict', 'that contradict an earlier one')
    .option('--reused-key', 'that came under the event id of another one')
    .option('--dismissed', 'that a person has dismissed')
    .option('--no-dismissed', 'that nobody has dismissed')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .addOption(instantOption('--since <when>', 'taken since'))
    .addOption(instantOption('--until <when>', 'taken before'))
}
