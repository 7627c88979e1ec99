import { adviceOn, isDown } from '../queue/advice.ts'
import { refusesKey } from '../queue/blame.ts'
import { type Failing, TROUBLE_ALARM, type Trouble, type Urgency } from '../queue/lane.ts'
import { CALLS } from '../queue/run.ts'
import { bareWhy } from '../values/bare-why.ts'
import { counted } from '../values/counted.ts'
import type { Instant } from '../values/instant.ts'
import { fine, type HealthItem, item } from './health.ts'

/** One queue of a destination; shared facts stand in both. */
export interface SeenLane {
  name: string
  urgency: Urgency
  waiting: number
  held: number
  dead: number
  /** Age of the oldest by event arrival. */
  oldestWaiting: Instant | null
  oldestHeld: Instant | null
  trouble: Trouble | null
  /** An operation failing without success. */
  failing: Failing | null
  /** Null: none since the start. */
  tookAt: Instant | null
  /** Rate after 429s. */
  callsPerSecond: number | null
  paused: { until: Instant | null; why: string } | null
  /** False: no longer in config. */
  configured: boolean
}

/** Longer than any wait for a store's day to close (ms). */
const OLD = 26 * 3_600_000

/** Destinations first, then their queues. */
export function destinationHealth(lanes: readonly SeenLane[], now: Instant): HealthItem[] {
  const byName = [...Map.groupBy(lanes, ({ name }) => name).values()]
  return [
    ...byName.flatMap((of) => (of[0] ? [destinationItem(of[0], of, now)] : [])),
    ...lanes.filter(({ configured }) => configured).flatMap((lane) => laneItems(lane, now)),
  ]
}

function destinationItem(first: SeenLane, lanes: readonly SeenLane[], now: Instant): HealthItem {
  const { name, trouble, failing, tookAt, callsPerSecond } = first
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0)
  const judged = (state: HealthItem['state'], means: string, more: Partial<HealthItem> = {}) =>
    item('destination', name, state, means, null, more)
  if (!first.configured) {
    const owed = lanes.reduce((sum, { waiting, held, dead }) => sum + waiting + held + dead, 0)
    const todo = `tillbridge deliveries move --from ${name} --to …, or put it back into the config.`
    return judged('problem', `Config does not have it any more, and ${deliveries(owed)} owed to it.`, {
      fault: 'gone',
      todo,
    })
  }
  const isPaused = lanes.every(({ paused }) => paused !== null)
  if (trouble !== null && waiting > 0)
    // An operator paused it: nothing is tried.
    return judged(
      isDown(trouble, now) && !isPaused ? 'problem' : 'note',
      troubleText(name, trouble),
      troubled(name, trouble, isPaused),
    )
  // Nothing pending means no probe would ever find it well.
  if (trouble !== null) return judged('ok', 'It was in trouble when it was called last; nothing waits for it.', MET)
  if (failing !== null && waiting > 0)
    return judged(lasts(failing, now) && !isPaused ? 'problem' : 'note', failingText(name, failing), {
      fault: 'trouble',
      since: failing.since,
      todo: adviceOn(failing.code).todo,
    })
  if (callsPerSecond !== null)
    return judged('note', `It refuses more (429), so it is called ${callsPerSecond.toPrecision(2)} times a second.`)
  if (waiting > 0 && tookAt === null) return judged('ok', 'Nothing was sent to it yet.')
  return judged('ok', 'It takes what is sent.', MET)
}

const MET = { isMet: true } as const

function troubleText(name: string, trouble: Trouble): string {
  return `In trouble: ${causeText(name, trouble)}`
}

/** Grace before an operator is told. */
function lasts({ since, calls }: Failing, now: Instant): boolean {
  return calls >= CALLS && now - since > TROUBLE_ALARM
}

function failingText(name: string, failing: Failing): string {
  const last = failing.calls === 1 ? 'call' : `${failing.calls} calls`
  return `The last ${last} of a kind failed, and none got through since: ${causeText(name, failing)}`
}

function causeText(name: string, { code, why }: Pick<Trouble, 'code' | 'why'>): string {
  const { means } = adviceOn(code)
  const refused = refusesKey(code) ? 'credentials refused: ' : ''
  const bare = bareWhy(name, why).replace(/\.$/, '')
  const said = bare.length > LONGEST_WHY ? `${bare.slice(0, LONGEST_WHY)}…` : bare
  return `${refused}${means} (${code}: ${said}).`
}

const LONGEST_WHY = 120

/** Paused destinations are not probed. */
function troubled(name: string, { code, since, until }: Trouble, isPaused: boolean): Partial<HealthItem> {
  const first = isPaused
    ? `nothing is tried while it is paused; tillbridge resume ${name} tries it.`
    : `tillbridge probe ${name} tries it now.`
  return {
    fault: 'trouble',
    since,
    ...(!isPaused && { next: until }),
    todo: `${first} Else: ${adviceOn(code).todo}`,
  }
}

function laneItems(lane: SeenLane, now: Instant): HealthItem[] {
  const { name, urgency, waiting, held, dead, oldestWaiting, oldestHeld, paused } = lane
  const items: HealthItem[] = []
  const add = (state: HealthItem['state'], means: string, todo: string, more: Partial<HealthItem> = {}) =>
    items.push(item('lane', `${name} ${urgency}`, state, means, todo, more))
  if (paused !== null)
    add(
      'note',
      `${capital(paused.why)}: nothing is sent, ${waits(waiting)}.`,
      `tillbridge resume ${name} lets it go on.`,
      {
        ...(paused.until !== null && { next: paused.until }),
      },
    )
  if (dead > 0)
    add(
      'problem',
      `${deliveries(dead)} dead: refused for good, or failing for three days.`,
      `tillbridge deliveries list --state dead --destination ${name}: mend the cause, then retry, or skip.`,
      { fault: 'dead' },
    )
  if (held > 0)
    add(
      'problem',
      `${deliveries(held)} held: only a person can decide, and what comes after in its line waits.`,
      `tillbridge deliveries list --state held --destination ${name}: then retry, release, or skip; --code selects all that are held for one cause.`,
      { fault: 'held', since: oldestHeld },
    )
  if (oldestWaiting !== null && now - oldestWaiting > OLD)
    add(
      'problem',
      `The oldest of ${waiting} that wait has waited for more than a day.`,
      `tillbridge deliveries list --state waiting --destination ${name} says why.`,
      { fault: 'waiting', since: oldestWaiting },
    )
  return items.length > 0
    ? items
    : [fine('lane', `${name} ${urgency}`, waiting === 0 ? 'Empty.' : `${waits(waiting)}.`)]
}

function waits(count: number): string {
  if (count === 0) return 'and nothing waits'
  return counted(count, 'waits', 'wait')
}

function deliveries(count: number): string {
  return counted(count, 'delivery is', 'deliveries are')
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
