import { NOT_MADE, type Outcome } from '../domain/queue/outcome.ts'
import { type Instant, isInFuture } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Claim } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

const MAX_WAIT_MS = 24 * 60 * MINUTE

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
export function createDependencyWaits(arePending: Storage['arePending'], now: () => Instant) {
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
      if (outcome.type !== 'dead' || flow.retryWhilePending === undefined) return outcome
      const age = now() - event.receivedAt
      if (age >= MAX_WAIT_MS) return outcome
      const { retryWhilePending } = flow
      const isJustOver = () =>
        retryWhilePending.some((name) => {
          const endedAt = ended.get(queueKeyOf(destination, name)) ?? 0
          return endedAt >= since && !isInFuture(endedAt, now())
        })
      // A call may end and be written while the storage is asked.
      if (!isJustOver() && !(await isPending(destination, retryWhilePending)) && !isJustOver()) return outcome
      const until = now() + pauseAfter(age, MINUTE)
      const why = `${outcome.why} What it is about may be on its way there: it is tried again after that`
      return { type: 'wait', until, code: outcome.code, why }
    },
  }
}

function queueKeyOf(destination: string, flow: string): string {
  return `${flow} ${destination}`
}

export function pauseAfter(age: number, most: number): number {
  return Math.min(Math.max(Math.round(age / 4), SECOND), most)
}
