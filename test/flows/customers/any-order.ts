import { expect } from 'vitest'
import { chance } from '../../chance.ts'
import { createTestClock } from '../../clock.ts'
import { customer, sale } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { bytesWith, erase } from './zeb.ts'

const DAY = 86_400_000
const PEOPLE = 12
const BY_HAND = { filter: { state: 'unrouted' }, reason: 'nobody wants them' }

function person(n: number) {
  return {
    ...{ customerId: 81_000_000 + n, customerGuid: '', customerExtId: '' },
    ...{ email: `mailbox${n}x@canary${n}.example.com`, firstName: `Givenname${n}zz`, lastName: `Familyname${n}yy` },
    // One of them lives in Street 1, and others in Street 10 and 11.
    ...{ phone: String(47_900_000 + n), address1: `Street ${n}`, address: null },
  }
}

/** Payloads come, are compressed and pruned, and people are erased meanwhile, in an order of chance: each time, nothing of them is left. */
export async function expectNothingLeft(seed: number): Promise<void> {
  const next = chance(seed)
  const anyone = () => person(Math.floor(next() * PEOPLE))
  const clock = createTestClock()
  await using hub = await startTestHub({ clock })
  const kept = new Set<string>()
  let no = 0
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 40; i++) {
      const who = anyone()
      kept.add(who.email)
      no += 1
      // Some are longer than a page of the file, and some than many.
      const comment = `from ${who.email} ${'lorem '.repeat(Math.floor(next() ** 3 * 8_000))} ${who.lastName}`
      await hub.post(
        'SaleCreated',
        { ...sale({ receiptNo: String(no), customer: who }), comment },
        { eventId: `S-${no}` },
      )
      if (next() < 0.2) await hub.post('CustomerUpdated', customer({ ...who, city: 'Here' }), { eventId: `C-${no}` })
    }
    await hub.admin('events/dismiss', BY_HAND)
    clock.advance(Math.floor((1 + next() * 3) * DAY))
    if (next() < 0.8) await hub.admin('jobs/compress-payloads/run', {})
    if (next() < 0.3) await hub.admin('jobs/retention/run', {})
    const who = anyone()
    // Of whom nothing has come since they were erased, there is nothing to erase.
    if (!kept.delete(who.email)) continue
    const erased = await erase(hub, who.email, { skipOpen: true })
    expect(erased.body.proof?.secondPass, `round ${round}`).toMatchObject({ found: 0 })
    expect(bytesWith(hub, [who.email, who.firstName, who.lastName])).toEqual([])
  }
}
