import {
  causeOf,
  type Evidence,
  isAuthFailure,
  isRateLimited,
  isUnreachable,
  mayBeDestinationWide,
  type Outcome,
  wasAnswered,
} from '../domain/queue/outcome.ts'
import {
  afterClockSet,
  type Failing,
  inOutage,
  isOutage,
  longer,
  type OpenCircuit,
  OUTAGE_ALARM,
  type Run,
} from '../domain/queue/queue-key.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Logger } from '../lib/logger.ts'

const GATEWAY = ['http-502', 'http-504']

/** Longer than a rate problem (ms). */
const NOTHING_BUT_TOO_MANY = 60_000

interface Called {
  delivery: number
  at: Instant
  failingSince: Instant | null
  operation: string
  /** Calls made for it; `several`: it carried several deliveries. */
  calls?: number
  several?: boolean
}

interface Operation {
  tookAt: Instant | null
  /** Last recovery from call after call refused. */
  wellSince: Instant
  run: Run | null
  last: { code: string; why: string }
}

/** Circuit breaker of one destination. */
export function createCircuitBreaker(destination: string, random: () => number, logger: Logger) {
  let outage: OpenCircuit | null = null
  let run: Run | null = null
  let alarmed = false
  let refusedAs: string | null = null
  let pauses = false
  let tooManySince: Instant | null = null
  const operations = new Map<string, Operation>()

  function operationOf(name: string): Operation {
    const known = operations.get(name)
    if (known) return known
    const fresh = { tookAt: null, wellSince: Number.NEGATIVE_INFINITY, run: null, last: { code: '', why: '' } }
    operations.set(name, fresh)
    return fresh
  }

  function met(outcome: Outcome & { why: string; code: string }, now: number) {
    const { why } = outcome
    const code = causeOf(outcome)
    if (!outage) logger.warn({ destination, code, why }, 'destination.outage')
    // Waiting does not heal a refused credential: log at once.
    if (isAuthFailure(code) && refusedAs !== code)
      logger.error({ system: destination, code, why }, 'credentials.refused')
    if (isAuthFailure(code)) refusedAs = code
    const notBefore = outcome.type === 'retry' ? outcome.notBefore : null
    outage = inOutage(outage, now, random(), { since: run?.since ?? now, code, why, notBefore, pauses })
    if (now - outage.since < OUTAGE_ALARM || alarmed) return
    alarmed = true
    logger.error({ destination, since: new Date(outage.since), code, why }, 'destination.down')
  }

  function recovered(now: number, operation: Operation): boolean {
    const wasAway = operation.run?.several && isOutage(operation.run)
    if (wasAway) operation.wellSince = now
    if (outage && pauses) for (const one of operations.values()) one.wellSince = now
    operation.run = null
    run = null
    tooManySince = null
    if (!outage) return false
    logger.info({ destination, ms: now - outage.since }, 'destination.recovered')
    if (refusedAs !== null) logger.info({ system: destination }, 'credentials.accepted')
    refusedAs = null
    outage = null
    alarmed = false
    pauses = false
    return true
  }

  /** What still fails after a success fails on its own account. Failures during an outage say nothing. */
  function hasTakenSince(since: Instant | null, name: string): boolean {
    const { tookAt, wellSince } = operationOf(name)
    return outage === null && since !== null && tookAt !== null && tookAt >= since && since >= wellSince
  }

  function othersTakenSince(since: Instant, name: string): boolean {
    return [...operations].some(([other, { tookAt }]) => other !== name && tookAt !== null && tookAt >= since)
  }

  function refusesSeveral(): boolean {
    return [...operations].some(([name, { run }]) => run?.several && !othersTakenSince(run.since, name))
  }

  return {
    current: (): OpenCircuit | null => outage,

    /** The operation failing for longest; null: none, or the whole destination is down. */
    failing(): Failing | null {
      if (outage) return null
      const found = [...operations.values()].flatMap(({ run, last }) =>
        run ? [{ since: run.since, calls: run.calls, ...last }] : [],
      )
      return found.sort((a, b) => a.since - b.since)[0] ?? null
    },

    tookAt(): Instant | null {
      return [...operations.values()].reduce<Instant | null>(
        (last, { tookAt }) => (tookAt === null ? last : Math.max(last ?? tookAt, tookAt)),
        null,
      )
    },

    evidenceOn({ id, failingSince }: { id: number; failingSince: Instant | null }, name: string): Evidence {
      const { run } = operationOf(name)
      const isAlone = run === null || (!run.several && run.first === id)
      const isOperation = run !== null && othersTakenSince(run.since, name)
      return {
        own: hasTakenSince(failingSince, name),
        alone: isOperation || (isAlone && !(outage && pauses)) ? (run?.calls ?? 0) : null,
      }
    },

    /** Probes now; respects `Retry-After` unless an operator asks (`anyway`). False: nothing to wait for. */
    tryNow(now: Instant, anyway: boolean): boolean {
      if (outage === null) return false
      outage = { ...outage, until: Math.max(now, (anyway ? null : outage.notBefore) ?? now) }
      return true
    },

    /** A pause by the old clock might never end. */
    clockWasSet(now: Instant): void {
      if (outage !== null) outage = afterClockSet(outage, now)
      if (run !== null) run = { ...run, since: Math.min(run.since, now) }
      if (tooManySince !== null) tooManySince = now
      for (const one of operations.values()) {
        const { run } = one
        Object.assign(one, { tookAt: null, wellSince: Number.NEGATIVE_INFINITY })
        one.run = run && { ...run, since: Math.min(run.since, now) }
      }
    },

    follow(outcome: Outcome, now: number, called: Called): boolean {
      const { delivery, at, failingSince, calls, several } = called
      const operation = operationOf(called.operation)
      if (outcome.type === 'delivered') operation.tookAt = Math.max(operation.tookAt ?? at, at)
      // Calls already under way say nothing new.
      if (outage && now < outage.until) return false
      if (outcome.type === 'delivered' || wasAnswered(outcome)) return recovered(now, operation)
      if (isRateLimited(outcome)) tooManySince ??= now
      const isSlowedOnly = tooManySince !== null && now - tooManySince < NOTHING_BUT_TOO_MANY
      if (isRateLimited(outcome) && isSlowedOnly && !outage) return false
      const gatewayGaveUp = outcome.type === 'unknown' && GATEWAY.includes(outcome.code)
      const isAway = isUnreachable(outcome) || gatewayGaveUp
      if (!isAway) {
        if (!mayBeDestinationWide(outcome) && !outage) return false
        if (hasTakenSince(failingSince, called.operation)) return false
        run = longer(run, now, delivery, calls, several)
        operation.run = longer(operation.run, now, delivery, calls, several)
        operation.last = { code: causeOf(outcome), why: outcome.why }
        if (!outage && !isOutage(run)) return false
      }
      // Refused with an answer, it is not away any more: else one that it refuses alone would wait for ever.
      const isBack = outcome.type === 'dead'
      pauses = isAway || (pauses && !isBack) || refusesSeveral()
      met(outcome, now)
      return true
    },
  }
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>
