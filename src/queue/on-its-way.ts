import type { Outcome } from '../domain/queue/outcome.ts'
import { type Instant, isInFuture } from '../domain/values/instant.ts'
import type { Flow, IsPending } from '../flows/flow.ts'
import type { Claim } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'

/** What the guards of its flow make of a refusal. */
export async function afterRefusal(
  outcome: Outcome,
  { event }: Pick<Claim, 'event'>,
  { guards = [] }: Flow,
  now: Instant,
  isPending: IsPending,
): Promise<Outcome> {
  if (outcome.type !== 'dead') return outcome
  for (const { onRefusal } of guards) {
    // A storage that cannot answer must not lose the outcome of a call.
    const after: Outcome | undefined = await onRefusal?.(outcome, { event, now }, isPending).catch(() => outcome)
    if (after !== undefined && after !== outcome) return after
  }
  return outcome
}

/** Answers serve other refusals for so long (ms). */
const FRESH = 1_000

/** Which flows are under way to a destination, or ended since the call began. */
export function createDependencyWaits(arePending: Storage['arePending'], now: () => Instant) {
  const ended = new Map<string, Instant>()
  const pending = new Map<string, { at: Instant; answer: Promise<boolean> }>()

  function ask(destination: string, flows: readonly string[]): Promise<boolean> {
    const key = queueKeyOf(destination, flows.join())
    const before = pending.get(key)
    if (before && Math.abs(now() - before.at) < FRESH) return before.answer
    const answer = arePending(destination, flows)
    answer.catch(() => pending.delete(key))
    pending.set(key, { at: now(), answer })
    return answer
  }

  return {
    ended(destination: string, flow: string): void {
      ended.set(queueKeyOf(destination, flow), now())
    },

    async isPending(destination: string, flows: readonly string[], since: Instant): Promise<boolean> {
      const isJustOver = () =>
        flows.some((name) => {
          const endedAt = ended.get(queueKeyOf(destination, name)) ?? 0
          return endedAt >= since && !isInFuture(endedAt, now())
        })
      // A call may end and be written while the storage is asked.
      return isJustOver() || (await ask(destination, flows)) || isJustOver()
    },
  }
}

function queueKeyOf(destination: string, flow: string): string {
  return `${flow} ${destination}`
}
