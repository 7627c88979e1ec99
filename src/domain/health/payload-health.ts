import type { PayloadDrift } from '../drift/learned.ts'
import type { Instant } from '../values/instant.ts'
import type { HealthItem } from './health.ts'

/** Something new in payloads of a kind, with the flows that act on the kind. */
export interface SeenDrift extends PayloadDrift {
  /** The hub may not find what it reads. */
  breaks: boolean
  flows: readonly string[]
}

/** A drift is told for a week (milliseconds). */
const TOLD = 7 * 24 * 3_600_000

/** The most drifts of a kind that are told each by itself: a new release of the platform may have a hundred. */
const MOST_OF_KIND = 10

/** One finding for each drift of the last week: those that break something first. Pure. */
export function payloadHealth(drifts: readonly SeenDrift[], now: Instant): HealthItem[] {
  const told = drifts.filter(({ at }) => now - at < TOLD)
  return [...Map.groupBy(told, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const sorted = all.toSorted((one, other) => Number(other.breaks) - Number(one.breaks) || one.event - other.event)
    const more = sorted.slice(MOST_OF_KIND)
    return [...sorted.slice(0, MOST_OF_KIND).map(itemOf), ...(more.length > 0 ? [moreOf(kind, more)] : [])]
  })
}

function itemOf(drift: SeenDrift): HealthItem {
  const { kind, event, at, breaks, flows } = drift
  return {
    area: 'payload',
    name: `${kind} ${placeOf(drift)}`,
    state: breaks ? 'problem' : 'note',
    since: at,
    means: `${driftText(drift)}. First in event ${event}. It touches ${flows.length === 0 ? 'no flow' : flows.join(', ')}.`,
    todo: breaks
      ? `tillbridge events show ${event}: does the hub still read it? Else write platform.payloads; then tillbridge kinds acknowledge ${kind}.`
      : `tillbridge kinds show ${kind}: do you need it? Then tillbridge kinds acknowledge ${kind}.`,
  }
}

function moreOf(kind: string, more: readonly SeenDrift[]): HealthItem {
  return {
    area: 'payload',
    name: `${kind} and more`,
    state: more.some(({ breaks }) => breaks) ? 'problem' : 'note',
    since: Math.min(...more.map(({ at }) => at)),
    means: `${more.length} more things are new in its payloads.`,
    todo: `tillbridge kinds show ${kind} lists all of them.`,
  }
}

/** Tells each drift of a kind from the others. */
function placeOf({ path, what, sample, type }: PayloadDrift): string {
  const which = { field: 'new', null: 'null', type, word: sample }[what]
  return `${fieldText(path)}: ${which}`
}

/** `payments.type has a word that it never had: Swish (until now Card, Cash)`. */
export function driftText({ path, what, was, sample }: PayloadDrift): string {
  const field = fieldText(path)
  switch (what) {
    case 'field':
      return `${field} was never there before: ${sample}`
    case 'null':
      return `${field} is null, which it never was (until now ${was})`
    case 'type':
      return `${field} is of another type: ${sample} (until now ${was})`
    case 'word':
      return `${field} has a word that it never had: ${sample} (until now ${was})`
  }
}

function fieldText(path: string): string {
  return path === '' ? 'the payload itself' : path
}
