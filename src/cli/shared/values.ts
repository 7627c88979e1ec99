import { Argument, InvalidArgumentError, Option } from 'commander'
import { formatInstant, type Instant, readInstant } from '../../domain/values/instant.ts'

/* What is typed on a command line, checked before anybody is asked: who mistypes is told what would have been right. */

/** A whole number: the id of an event or a delivery, a count. */
export function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number, such as 77.')
}

/** How many rows a list has at most: a page of none says that there is nothing. */
export function limitOption(words = 'so many, 500 at most'): Option {
  return new Option('--limit <n>', words).argParser(countOf).default(50)
}

function countOf(text: string): number {
  if (/^0*[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number from 1, such as 50.')
}

/** The instant that was typed. What names no zone is meant by the clock of whoever types it, not by the hub's. */
export function instantAt(text: string, now: Instant): Instant {
  const instant = readInstant(text, now)
  if (instant !== null) return instant
  throw new InvalidArgumentError('It is an instant, such as 2026-11-20T08:00Z, or how long ago: 45m, 2h, 3d.')
}

/** The same for the hub, by whose clock things were written down: how long ago something was is left to it. */
function instantForHub(text: string): string {
  const instant = instantAt(text, Date.now())
  return /[smhd]$/.test(text) ? text : formatInstant(instant)
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
  return new Option(flags, `${words}: 2h, 3d, or 2026-11-20T08:00Z`).argParser(instantForHub)
}

/** One of a few words. */
export function choice(flags: string, words: string, choices: readonly string[]): Option {
  return new Option(flags, words).choices(choices)
}
