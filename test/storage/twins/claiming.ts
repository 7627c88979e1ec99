import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { QueueKey } from '../../../src/domain/queue/queue-key.ts'
import type { Instant } from '../../../src/domain/values/instant.ts'
import type { Claim } from '../../../src/storage/claim.ts'
import { HOUR, LEASE, MINUTE, SECOND, settlement } from '../acting.ts'
import { type Act, giveAllBack, nameOfEvent, sorted, type Twin } from './twin.ts'
import { ROOM, type World } from './world.ts'

/** All that is due: in which order entities have their turn is a store's own affair. */
export function claimAll(queueKey: QueueKey, { ends }: World): Act {
  return {
    name: `claim ${queueKey.destination} ${queueKey.urgency}`,
    async on(twin) {
      const { calls, wakeAt, ...rest } = await twin.the.storage.claim(queueKey, ROOM, LEASE)
      for (const one of calls.flat()) twin.claims.set(nameOfClaim(one, twin), { ...one, at: twin.the.clock.now() })
      const named = calls.map((call) =>
        sorted(
          call.map((one) => namedClaim(one, twin, ends)),
          ({ name }) => name,
        ),
      )
      // What is behind a claim may have its time, or none.
      return {
        calls: sorted(named, ([first]) => first?.name ?? ''),
        wakeAt: twin.claims.size === 0 ? wakeAt : null,
        ...rest,
      }
    },
  }
}

function namedClaim(claim: Claim, twin: Twin, ends: boolean) {
  const { fence: _, event, delivery, invalidated, unchanged, ...said } = claim
  const { id: __, ...columns } = delivery
  const { id: ___, body, ...fields } = event
  return {
    name: nameOfClaim(claim, twin),
    invalidated: nameOfEvent(twin, invalidated),
    unchanged: unchanged && !ends,
    ...{ ...said, ...columns, event: { ...fields, body: Buffer.from(body).toString() } },
  }
}

function nameOfClaim({ event, delivery: { flow, part, destination } }: Claim, { events }: Twin): string {
  return `${events.indexOf(event.id)}/${flow}/${part}/${destination}`
}

export function outcomeOf({ choose, below }: World): (now: Instant) => Outcome {
  const type = choose([
    'delivered',
    'delivered',
    'delivered',
    'superseded',
    'retry',
    'wide',
    'dead',
    'wait',
    'held',
    'unknown',
  ])
  const more = { code: `c${below(3)}`, why: 'for a reason' }
  const until = choose([SECOND, MINUTE, HOUR])
  return (now) => {
    switch (type) {
      case 'delivered':
        return {
          type,
          links: [{ kind: 'order', id: `o${until}`, destination: 'shop', theirId: `${until}` }],
          note: null,
        }
      case 'retry':
        return { type, scope: 'item', notBefore: null, ...more }
      case 'wide':
        return { type: 'retry', scope: 'destination', notBefore: null, ...more }
      case 'wait':
        return { type, until: now + until, ...more }
      case 'superseded':
      case 'dead':
      case 'held':
        return { type, ...more }
      default:
        return { type: 'unknown', ...more }
    }
  }
}

export function settleSome(
  them: readonly [string, (now: Instant) => Outcome][],
  whenUnknown: 'repeat' | 'find' | 'hold',
): Act {
  return {
    name: `settle ${whenUnknown} ${them.map(([name, outcome]) => `${name}: ${outcome(0).type}`).join(', ')}`,
    async on({ the, claims }) {
      const now = the.clock.now()
      const results = them.flatMap(([name, outcome]) => {
        const one = claims.get(name)
        claims.delete(name)
        if (!one) return []
        const result = settlement(one, outcome(now), now, whenUnknown)
        return [{ ...result, attempt: { ...result.attempt, at: one.at } }]
      })
      return await the.storage.settle(results)
    },
  }
}

export function giveBack(names: readonly string[]): Act {
  return {
    name: `release ${names.join()}`,
    async on({ the, claims }) {
      await the.storage.returnClaims(names.flatMap((name) => claims.get(name)?.fence ?? []))
      for (const name of names) claims.delete(name)
    },
  }
}

export function pass(ms: number): Act {
  return {
    name: `pass ${ms}`,
    async on(twin) {
      if (ms > LEASE / 10) await giveAllBack(twin)
      await twin.the.clock.pass(ms)
    },
  }
}

export const reopen: Act = {
  name: 'reopen',
  async on(twin) {
    await giveAllBack(twin)
    await twin.the.reopen()
  },
}
