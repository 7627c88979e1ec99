import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../config/duration.ts'
import { isDay } from '../../domain/values/day.ts'
import { UserError } from '../../domain/values/errors.ts'

/** A day, by the clock of whoever types it. */
export function dayOf(text: string): { since: number; until: number; day: string } {
  if (!isDay(text)) throw new InvalidArgumentError('It is a day, such as 2026-11-27.')
  const begin = new Date(`${text}T00:00`)
  const end = new Date(begin)
  // A day may have 23 or 25 hours.
  end.setDate(end.getDate() + 1)
  return { since: begin.getTime(), until: end.getTime(), day: text }
}

/** How many times as fast. */
export function speedOf(text: string): number {
  const speed = Number(text)
  if (speed > 0 && speed <= 10_000) return speed
  throw new InvalidArgumentError('It is a number above 0, 10000 at most, such as 10.')
}

/** `800ms`, `20s`, `10m` in milliseconds. */
export function durationOf(text: string): number {
  const ms = parseDuration(text)
  if (ms === null) throw new InvalidArgumentError('It is a duration, such as 800ms, 20s or 10m.')
  return ms
}

/** Words of an option that is given several times. */
export function several(text: string, before: string[] = []): string[] {
  return [...before, text]
}

/** How long a call takes: `80ms` for all destinations, `erp:200ms` for one. Throws a UserError. */
export function readLatencies(words: readonly string[], destinations: readonly string[]): Record<string, number> {
  const all: Record<string, number> = {}
  for (const word of words) {
    const [name, text] = word.includes(':') ? word.split(':') : [null, word]
    const ms = parseDuration(text ?? '')
    if (ms === null) throw new UserError(`--latency ${word}: it is a duration, such as 80ms, or erp:200ms.`)
    if (name !== null && name !== undefined && !destinations.includes(name))
      throw new UserError(
        `--latency ${word}: config has no destination ${name}; it has ${destinations.join(', ') || 'none'}.`,
      )
    for (const one of name === null ? destinations : [name ?? '']) all[one] = ms
  }
  return all
}

/** `stores=20,sales=5000`: how large a day is made. */
export function madeOf(text: string): { stores: number; sales: number } {
  const [, stores = 0, sales = 0] = (/^stores=([1-9]\d{0,3}),sales=([1-9]\d{0,6})$/.exec(text) ?? []).map(Number)
  if (stores > 0 && stores <= 5_000 && sales <= MOST_SALES) return { stores, sales }
  throw new InvalidArgumentError(`It is such as stores=20,sales=5000: 5000 stores and ${MOST_SALES} sales at most.`)
}

const MOST_SALES = 1_000_000
