import { expect } from 'vitest'
import type { Outcome } from '../../../../src/domain/queue/outcome.ts'
import type { Claim, ClaimLimits } from '../../../../src/storage/claim.ts'
import { chance } from '../../../chance.ts'
import {
  by,
  claimCalls,
  DELIVERED,
  deliverAll,
  FAILED,
  LEASE,
  LINGER,
  REFUSED,
  SHOP,
  settlement,
  UNCERTAIN,
} from '../../acting.ts'
import { pending } from '../../arrivals.ts'
import { type OpenOptions, openedWith, type StoreTest, type StoreUnderTest } from '../../under-test.ts'

/** What the names of entities begin with of which only the newest delivery matters. */
const NEWEST = 'newest'

const SMALL: Partial<ClaimLimits> = { batch: { items: 3, bytes: 1024 * 1024, linger: LINGER } }

const TINY: OpenOptions = { window: { items: 6, bytes: 1024 * 1024 } }

/** Random walks over a few entities. A failed one is walked again with WALK_SEED=…. */
export function walking(anyTest: StoreTest): void {
  const seed = Number(process.env.WALK_SEED ?? Date.now() % 2 ** 31)
  for (const [what, options] of [
    ['a store', {}],
    ['a store that keeps little in memory', TINY],
  ] as const) {
    const test = openedWith(options, anyTest)
    test(`When all happens in any order to ${what}, then none is lost, none comes twice, and entities keep their order`, async (the) => {
      await walk(the, seed).catch((error: Error) => {
        error.message = `WALK_SEED=${seed}: ${error.message}`
        throw error
      })
    })
  }
}

async function walk(the: StoreUnderTest, seed: number): Promise<void> {
  const random = chance(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const model = createModel()
  const content = createContent()
  let hand: Claim[] = []
  const quiet: number[] = []

  const steps = {
    async accept() {
      const arrivals = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
        const latestWins = random() < 0.3
        const entity = random() < 0.2 ? null : `${latestWins ? NEWEST : 'e'}${Math.floor(random() * 5)}`
        const batch = random() < 0.4 ? 'b' : null
        const digest = pick(['A', 'B'])
        const notBefore = random() < 0.1 ? the.clock.now() + 1_000 * Math.floor(random() * 90) : null
        return the.about(entity, { once: random() < 0.3, notBefore, latestWins, batch, digest })
      })
      const verdicts = await the.storage.accept(arrivals)
      verdicts.forEach(({ id }, index) => {
        const { entity = null, digest = null } = arrivals[index]?.deliveries[0] ?? {}
        model.accepted(id, entity)
        content.accepted(id, digest ?? '')
      })
    },
    async claim() {
      const calls = await claimCalls(the.storage, SHOP, { ...SMALL, calls: 1 + Math.floor(random() * 4) })
      for (const call of calls) expect(new Set(call.map(({ delivery }) => delivery.batch)).size).toBe(1)
      model.claimed(calls.flat(), hand)
      content.claimed(calls.flat())
      hand.push(...calls.flat())
    },
    async settle() {
      const [one] = hand.splice(Math.floor(random() * hand.length), 1)
      if (!one) return
      const outcome = pick([DELIVERED, DELIVERED, DELIVERED, FAILED, UNCERTAIN, REFUSED])
      const result = settlement(one, outcome, the.clock.now(), pick(['hold', 'repeat']))
      content.sent(one, outcome)
      const [settled] = await the.storage.settle([result])
      if (settled) model.settled(one, result.next.state)
      else expect(one.delivery.entity, 'a newer one may have come while it was claimed').toContain(NEWEST)
    },
    async settleWhileArriving() {
      await Promise.all([steps.settle(), steps.accept(), steps.claim()])
    },
    async release() {
      const [one] = hand.splice(Math.floor(random() * hand.length), 1)
      if (one) await the.storage.returnClaims([one.fence])
    },
    async retry(beside: () => Promise<void> = async () => {}) {
      const id = pick([...model.stuck])
      if (id === undefined) return
      const delivery = await deliveryOf(id)
      model.retrying(id)
      await the.storage.retry({ id: delivery }, by(the.clock.now()), true)
      // What was claimed before it may be answered after it.
      await beside()
      model.retried(id)
    },
    async retryMany() {
      const many = [...model.stuck]
      for (const id of many) model.retrying(id)
      await the.storage.retry({}, by(the.clock.now()), true)
      for (const id of many) model.retried(id)
    },
    async acceptQuiet() {
      const [verdict] = await the.storage.accept([the.arrival({ deliveries: [] })])
      quiet.push(verdict?.id ?? 0)
    },
    async oweLate() {
      const [id] = quiet.splice(Math.floor(random() * quiet.length), 1)
      if (id === undefined) return
      const entity = `e${Math.floor(random() * 5)}`
      const digest = pick(['A', 'B'])
      content.accepted(id, digest)
      await the.storage.enqueue(id, [
        pending({ entity, digest, batch: random() < 0.4 ? 'b' : null, yields: random() < 0.5 }),
      ])
      model.accepted(id, entity)
    },
    async retryWhileClaiming() {
      let claiming = Promise.resolve()
      const retrying = steps.retry(() => claiming)
      claiming = steps.claim()
      await Promise.all([retrying, claiming])
    },
    async wait() {
      await the.clock.pass(Math.floor(random() * 40_000))
    },
    async reopen() {
      for (const one of hand) content.sent(one, UNCERTAIN)
      await the.reopen()
      hand = []
      await the.clock.pass(LEASE)
    },
  }

  const anyLeft = async () => (await the.storage.pending()).length > 0

  async function deliveryOf(event: number): Promise<number> {
    return (await the.storage.deliveries({ event }))[0]?.id ?? 0
  }

  const often = [steps.accept, steps.claim, steps.claim, steps.settle, steps.settle, steps.settleWhileArriving] as const
  const seldom = [
    steps.release,
    steps.retry,
    steps.retryWhileClaiming,
    steps.wait,
    steps.retryMany,
    steps.acceptQuiet,
    steps.acceptQuiet,
    steps.oweLate,
  ] as const
  for (let step = 0; step < 250; step++) {
    if (step % 50 === 49) await steps.reopen()
    else await pick(random() < 0.75 ? often : seldom)()
  }

  await the.storage.returnClaims(hand.map(({ fence }) => fence))
  await the.storage.retry({}, by(the.clock.now()), true)
  const left: number[] = []
  // What gathers goes out when nothing was added for a while.
  while (await anyLeft()) {
    left.push(...(await deliverAll(the.storage, the.clock.now())))
    await the.clock.pass(LINGER)
  }
  for (const id of left) expect(model.delivered.has(id), `event ${id} came again`).toBe(false)
  const superseded = (await the.storage.deliveries({ state: 'superseded', limit: 10_000 })).map(({ event }) => event)
  for (const id of superseded) expect(model.hasNewer(id), `event ${id} was the newest`).toBe(true)
  expect([...model.delivered, ...left, ...superseded].sort((a, b) => a - b)).toEqual(model.all())
}

/** What must hold, kept apart from how the store does it. */
function createModel() {
  const entityOf = new Map<number, string | null>()
  const delivered = new Set<number>()
  const dead = new Set<number>()
  const stuck = new Set<number>()

  return {
    delivered,
    stuck,
    all: () => [...entityOf.keys()].sort((a, b) => a - b),
    /** Whether a newer one of the same entity, of which only the newest matters, came. */
    hasNewer(id: number): boolean {
      const own = entityOf.get(id)
      return own?.startsWith(NEWEST) === true && [...entityOf].some(([other, entity]) => entity === own && other > id)
    },

    accepted(id: number, entity: string | null) {
      entityOf.set(id, entity)
    },

    claimed(claims: Claim[], out: Claim[]) {
      for (const one of claims) {
        const { event, delivery } = one
        const others = [...out, ...claims].filter((other) => other !== one)
        expect(delivered.has(event.id), `event ${event.id} came again`).toBe(false)
        expect(stuck.has(event.id), `event ${event.id} was dead or held`).toBe(false)
        for (const other of others) {
          expect(other.delivery.id, 'one in two hands').not.toBe(delivery.id)
          if (delivery.entity) expect(other.delivery.entity, 'an entity in two hands').not.toBe(delivery.entity)
        }
        if (delivery.entity === null || delivery.entity.startsWith(NEWEST)) continue
        const older = [...entityOf].filter(
          ([id, entity]) => entity === delivery.entity && id < event.id && !delivered.has(id) && !dead.has(id),
        )
        expect(older, `event ${event.id} overtook`).toEqual([])
      }
    },

    settled({ event }: Claim, state: string) {
      if (state === 'delivered') delivered.add(event.id)
      if (state === 'dead') dead.add(event.id)
      if (state === 'dead' || state === 'held') stuck.add(event.id)
    },

    retrying(id: number) {
      stuck.delete(id)
    },

    /** Only from now on is it sure to stand before the newer ones of its entity. */
    retried(id: number) {
      dead.delete(id)
    },
  }
}

/** What the destination may have of each entity: an uncertain call may have landed or not. */
function createContent() {
  const digests = new Map<number, string>()
  const may = new Map<string, Set<string>>()

  return {
    accepted(id: number, digest: string) {
      digests.set(id, digest)
    },

    claimed(claims: Claim[]) {
      for (const { event, delivery, unchanged } of claims)
        if (unchanged)
          expect([...(may.get(delivery.entity ?? '') ?? [])], `event ${event.id} is no news`).toEqual([
            digests.get(event.id),
          ])
    },

    sent({ event, delivery }: Claim, outcome: Outcome) {
      const digest = digests.get(event.id) ?? ''
      const before = may.get(delivery.entity ?? '') ?? new Set([''])
      if (outcome.type === 'delivered') may.set(delivery.entity ?? '', new Set([digest]))
      if (outcome.type === 'unknown') may.set(delivery.entity ?? '', new Set([...before, digest]))
    },
  }
}
