import { counted } from '../values/counted.ts'
import { nameOfEffect, outOfOrder } from './order-kept.ts'
import { percentile } from './percentile.ts'
import type { OwedThere, Witnessed } from './witnessed.ts'

/** A promise of docs/promises.md, and whether it was kept. */
export interface Judged {
  promise: string
  kept: boolean
  /** What was counted. */
  says: string
}

/** Holds what was seen of a rehearsal against what is promised. `patience`: within which an answer must come (p99, milliseconds). */
export function judge(witnessed: Witnessed, patience: number): Judged[] {
  return [taken, once, delivered, inOrder, effects, (seen: Witnessed) => inTime(seen, patience)].map((rule) =>
    rule(witnessed),
  )
}

/** Every webhook was answered 2xx in the end, and what was answered so is in the store, also after a kill. */
function taken({ played, events }: Witnessed): Judged {
  const unanswered = played.filter((one) => one.taken === null).length
  const lost = played.filter((one) => one.taken !== null && !events.has(one.taken)).length
  const refused = played.reduce((sum, one) => sum + one.refused, 0)
  const later = refused === 0 ? '' : ` (${refused} times refused for the moment, and sent again)`
  return {
    promise: 'taken means on disk',
    kept: unanswered === 0 && lost === 0,
    says: `${counted(played.length, 'webhook')} sent${later}; ${unanswered} never taken, ${lost} taken and not in the store`,
  }
}

/** A copy is the event that is there; and the store has no event that nobody was told of. */
function once({ played, events }: Witnessed): Judged {
  const copies = played.flatMap((one) => one.again.map((id) => ({ id, of: one.taken })))
  const told = new Set(played.flatMap((one) => (one.taken === null ? [] : [one.taken])))
  const strange = new Set([
    ...copies.filter(({ id, of }) => id !== of).map(({ id }) => id),
    ...[...events.keys()].filter((id) => !told.has(id)),
  ])
  const doubtful = [...strange].filter((id) => events.get(id)?.certain === false).length
  const twice = strange.size - doubtful
  const unpromised = doubtful === 0 ? '' : `; ${counted(doubtful, 'version')} taken anew, since no header names events`
  return {
    promise: 'once',
    kept: twice === 0,
    says: `${counted(copies.length, 'copy')} sent; ${twice} taken as another event${unpromised}`,
  }
}

const OPEN = new Set(['waiting', 'claimed'])
const FOR_PEOPLE = new Set(['held', 'dead'])

/** All that was owed has come to its end. What is held or dead waits for a person, which is promised, too: it is counted, with why. */
function delivered({ owed }: Witnessed): Judged {
  const open = owed.filter(({ state, later }) => OPEN.has(state) && !later)
  const later = owed.filter((one) => one.later).length
  const left = owed.filter(({ state }) => FOR_PEOPLE.has(state))
  const done = owed.length - open.length - left.length - later
  return {
    promise: 'everything owed is delivered',
    kept: open.length === 0,
    says: `${done} of ${counted(owed.length, 'delivery')} made, or overtaken; ${open.length} still waiting${reasons(open)}; ${later === 0 ? '' : `${later} due when a day has closed; `}${left.length} for a person${reasons(left)}`,
  }
}

function reasons(those: readonly OwedThere[]): string {
  const counts = [...Map.groupBy(those, ({ state, code }) => code ?? state)]
  return counts.length === 0 ? '' : ` (${counts.map(([code, of]) => `${of.length} ${code}`).join(', ')})`
}

function inOrder(witnessed: Witnessed): Judged {
  const { things, wrong } = outOfOrder(witnessed)
  const named = wrong.slice(0, 3).map(({ destination, entity }) => `${entity} at ${destination}`)
  return {
    promise: 'in order, per entity, per destination',
    kept: wrong.length === 0,
    says: `${counted(things, 'thing')} looked at; ${wrong.length} out of order${named.length === 0 ? '' : ` (${named.join(', ')})`}`,
  }
}

/** A `once` effect happened at most once, under its key, whatever was killed; and each that counts as delivered has happened. */
function effects({ owed, performed, destinations }: Witnessed): Judged {
  const times = new Map<string, number>()
  for (const one of performed) times.set(nameOfEffect(one), (times.get(nameOfEffect(one)) ?? 0) + 1)
  const shadows = new Set(destinations.map(({ name }) => name))
  const there = owed.filter(({ destination }) => shadows.has(destination))
  const twice = there.filter((one) => one.once && (times.get(nameOfEffect(one)) ?? 0) > 1).length
  const missing = there.filter((one) => one.state === 'delivered' && !times.has(nameOfEffect(one))).length
  const repeated = [...times.values()].filter((count) => count > 1).length
  return {
    promise: 'exactly one effect, or at least one where repeating is harmless',
    kept: twice === 0 && missing === 0,
    says: `${counted(times.size, 'effect')}; ${twice} twice that must not be, ${missing} called delivered and never made, ${repeated} repeated under ${repeated === 1 ? 'its' : 'their'} key`,
  }
}

function inTime({ answers }: Witnessed, patience: number): Judged {
  const [half, p99] = [percentile(answers, 0.5), percentile(answers, 0.99)]
  const most = answers.reduce((longest, ms) => Math.max(longest, ms), 0)
  return {
    promise: `webhooks are answered in ${patience} ms (p99)`,
    kept: p99 <= patience,
    says: `half in ${Math.round(half)} ms, p99 ${Math.round(p99)} ms, the longest ${Math.round(most)} ms`,
  }
}
