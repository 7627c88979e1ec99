import { Argument, InvalidArgumentError, Option } from 'commander'

/* What is typed on a command line, checked before anybody is asked: who mistypes is told what would have been right. */

/** A whole number: the id of an event or a delivery, a count. */
export function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number, such as 77.')
}

/** An instant, or how long ago. What names no zone is meant by the clock of whoever types it, not by the hub's. */
function instantOf(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return text
  const instant = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
  if (!Number.isNaN(instant)) return new Date(instant).toISOString()
  throw new InvalidArgumentError('It is an instant, such as 2026-11-20T08:00Z, or how long ago: 45m, 2h, 3d.')
}

/** `<id>` or `[id]`. */
export function idArgument(
  name: '<id>' | '[id]',
  list: 'events list' | 'deliveries list' | 'audit list' | 'gaps list',
): Argument {
  return new Argument(name, `its number, as "${list}" shows it`).argParser(numberOf)
}

/** `--since 2h` and the like. */
export function instantOption(flags: string, words: string): Option {
  return new Option(flags, `${words}: 2h, 3d, or 2026-11-20T08:00Z`).argParser(instantOf)
}

/** One of a few words. */
export function choice(flags: string, words: string, choices: readonly string[]): Option {
  return new Option(flags, words).choices(choices)
}
