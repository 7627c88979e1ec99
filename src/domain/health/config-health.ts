import type { Doubt } from './doubt.ts'
import type { HealthItem } from './health.ts'

/** Likely mistakes in config, such as names that the platform's lists do not have: the hub works by them all the same. */
export function configHealth(doubts: readonly Doubt[]): HealthItem[] {
  return doubts.map(({ key, found, expected }) => ({
    area: 'config',
    name: key,
    // A list may be older than what it lacks: `check` ends with 1 for it, a hub that works goes on.
    state: 'note',
    since: null,
    means: `Most likely wrong: ${found === undefined ? '' : `found ${found}, `}expected ${expected}${/[.?]$/.test(expected) ? '' : '.'}`,
    todo: 'tillbridge check names its line. Correct it, then: tillbridge reload.',
  }))
}
