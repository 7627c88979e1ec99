import { NOT_MADE, type Outcome } from '../domain/queue/outcome.ts'
import { WaitError } from '../domain/values/errors.ts'
import { type Instant, isInFuture } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Claim } from '../storage/claim.ts'
import type { DeliveryRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

const MAX_WAIT_MS = 24 * 60 * MINUTE
const MAX_NAMED = 20
const OPEN = ['waiting', 'claimed', 'held']

/** Throws a WaitError while the step that creates what this one is about is pending there. */
export async function afterCreation(
  { event, delivery }: Claim,
  flow: Flow,
  deliveries: Storage['deliveries'],
  now: Instant,
): Promise<void> {
  const entity = flow.dependsOn?.(event) ?? null
  if (entity === null) return
  const pending = await deliveries({ destination: delivery.destination, entity, limit: MAX_NAMED })
  const first = pending.find(({ state }) => OPEN.includes(state))
  if (!first) return
  const until = now + pauseAfter(now - event.receivedAt, MINUTE)
  throw new WaitError(`delivery ${first.id} goes first: it makes what this one is about`, {
    code: 'not-its-turn',
    until,
  })
}

export async function wasNeverMade(
  { delivery: { destination, entity } }: Claim,
  { takesBack }: Flow,
  deliveries: Storage['deliveries'],
): Promise<boolean> {
  if (takesBack === undefined || entity === null) return false
  const made = await deliveries({ destination, entity, flow: takesBack, limit: MAX_NAMED })
  return made.length > 0 && made.length < MAX_NAMED && made.every(({ state }) => state === 'superseded')
}

/** Throws a WaitError while an earlier step with another ordering key was not tried: the later one wins. */
export async function dependsOnEarlier(
  { event, delivery }: Claim,
  flow: Flow,
  deliveries: Storage['deliveries'],
  now: Instant,
): Promise<void> {
  const { dependsOnEarlier } = flow
  if (!dependsOnEarlier) return
  const { destination } = delivery
  const about = dependsOnEarlier.about(event)
  const isEarlier = (one: DeliveryRow) =>
    one.event < event.id && one.firstTriedAt === null && one.entity?.startsWith(about)
  const waiting = await deliveries({ destination, flow: dependsOnEarlier.flow, state: 'waiting', limit: MAX_EARLIER })
  const first = waiting.find(isEarlier)
  if (!first) return
  const until = now + pauseAfter(now - event.receivedAt, MINUTE)
  throw new WaitError(`delivery ${first.id} goes first: it is of an earlier event`, { code: 'not-its-turn', until })
}

const MAX_EARLIER = 10_000

/** A step whose subject is not there yet waits up to a day for it; then an operator decides. */
export function unlessOnItsWay(outcome: Outcome, { event }: Claim, flow: Flow, now: Instant): Outcome {
  if (outcome.type !== 'dead' || outcome.code !== NOT_MADE || flow.dependsOn === undefined) return outcome
  const { code, why } = outcome
  const until = waitFor(now - event.receivedAt, now)
  if (until === null) return { type: 'held', code, why: `${why} It did not come within a day.` }
  return { type: 'wait', until, code, why: `${why} It may be on its way: this waits for it, for a day.` }
}

export function waitFor(age: number, now: Instant): Instant | null {
  return age >= MAX_WAIT_MS ? null : now + pauseAfter(age, 10 * MINUTE)
}

/** A refusal waits while a flow it depends on is pending there (the product of a price), or ended since the call began. */
export function createFollowing(arePending: Storage['arePending'], now: () => Instant) {
  const ended = new Map<string, Instant>()
  const pending = new Map<string, { at: Instant; answer: Promise<boolean> }>()

  function isPending(destination: string, flows: readonly string[]): Promise<boolean> {
    const key = queueKeyOf(destination, flows.join())
    const before = pending.get(key)
    if (before && Math.abs(now() - before.at) < SECOND) return before.answer
    const answer = arePending(destination, flows)
    answer.catch(() => pending.delete(key))
    pending.set(key, { at: now(), answer })
    return answer
  }

  return {
    ended(destination: string, flow: string): void {
      ended.set(queueKeyOf(destination, flow), now())
    },

    async unlessOnItsWay(
      outcome: Outcome,
      { event }: Claim,
      flow: Flow,
      destination: string,
      since: Instant,
    ): Promise<Outcome> {
      if (outcome.type !== 'dead' || flow.follows === undefined) return outcome
      const age = now() - event.receivedAt
      if (age >= MAX_WAIT_MS) return outcome
      const { follows } = flow
      const isJustOver = () =>
        follows.some((name) => {
          const endedAt = ended.get(queueKeyOf(destination, name)) ?? 0
          return endedAt >= since && !isInFuture(endedAt, now())
        })
      // A call may end and be written while the storage is asked.
      if (!isJustOver() && !(await isPending(destination, follows)) && !isJustOver()) return outcome
      const until = now() + pauseAfter(age, MINUTE)
      const why = `${outcome.why} What it is about may be on its way there: it is tried again after that`
      return { type: 'wait', until, code: outcome.code, why }
    },
  }
}

function queueKeyOf(destination: string, flow: string): string {
  return `${flow} ${destination}`
}

function pauseAfter(age: number, most: number): number {
  return Math.min(Math.max(Math.round(age / 4), SECOND), most)
}
