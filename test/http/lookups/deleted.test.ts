import { describe, expect, test } from 'vitest'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import { RetryLaterError } from '../../../src/domain/values/errors.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { customer, sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'
import { deliveriesOf, GIVEN, untilDelivery } from '../../queue/kit/kit.ts'
import { bearer, TOKEN } from './app.ts'

const lookups = { customers: { tokens: [TOKEN] } }

const KARI = { customerId: 7, email: 'kari@example.com', firstName: 'Kari' }

/** A change of Kari, made so many hours after her first. */
function kari(hours: number, more: object = {}) {
  const updatedDateTime = new Date(Date.UTC(2026, 10, 20, hours)).toISOString().slice(0, -1)
  return customer({ ...KARI, updatedDateTime, ...more })
}

describe('a customer whom the platform calls deleted', () => {
  test('When she is deleted, then no system is given her, and the POS is not answered with her, until she comes back', async () => {
    await using the = await startWithCrm()
    const reported = post(the.hub)
    await reported(kari(0))
    await the.found(['Kari'])
    await reported(kari(1, { deleted: true }))
    await the.found([])
    expect(the.upserted).toHaveLength(1)

    // What she was before comes late, and changes nothing; the same state as before she was deleted is news.
    await reported(kari(0, { city: 'Bergen' }))
    await the.found([])
    await reported(kari(2))
    await the.found(['Kari'])

    // A deletion that comes late takes nobody away who is back.
    await reported(kari(1, { deleted: true, city: 'Voss' }))
    await the.found(['Kari'])
  })

  test('When a sale of hers comes only after she was deleted, then she stays away, until the platform says that she is back', async () => {
    await using the = await startWithCrm()
    const reported = post(the.hub)
    const bought = (receipt: number) => sale({ receiptNo: `${receipt}`, customer: { ...KARI, customerId: 7 } })
    await reported(bought(1), 'SaleCreated')
    await the.found(['Kari'])
    await reported(kari(1, { deleted: true }))
    await reported(bought(2), 'SaleCreated')
    await the.found([])
    await reported(kari(2, { email: null, phone: '+4791234567' }))
    await reported(bought(3), 'SaleCreated')
    await the.found(['Kari'])
  })

  test('When her deletion says nothing but her id, then she goes all the same, and others stay', async () => {
    await using the = await startWithCrm()
    const reported = post(the.hub)
    await reported(kari(0, { customerExtId: null }))
    await reported(customer({ customerId: 8, email: 'kari@example.com', firstName: 'Karin' }))
    await the.found(['Kari', 'Karin'])
    await reported({ customerId: 7, deleted: true })
    await the.found(['Karin'])
  })

  test('When a change of her still waits for a system as she is deleted, then it does not go there any more', async () => {
    const clock = createTestClock()
    await using the = await startWithCrm(clock)
    the.goAway()
    await the.hub.post('CustomerUpdated', kari(0), { eventId: 'e-1' })
    const ofCrm = async () => (await deliveriesOf(the.hub)).filter(({ destination }) => destination === 'crm')
    const [waiting] = await eventually(async () => {
      const found = await ofCrm()
      return found.length === 1 && found
    })
    await untilDelivery(the.hub, waiting?.id ?? 0, ({ attempts }) => attempts.length === 1)
    await the.hub.post('CustomerUpdated', kari(1, { deleted: true }), { eventId: 'e-2' })
    await eventually(async () => expect(await ofCrm()).toHaveLength(2))
    the.comeBack()
    clock.advance(3_600_000)
    await eventually(async () =>
      expect((await ofCrm()).map(({ state }) => state)).toEqual(['superseded', 'superseded']),
    )
    expect(the.upserted).toEqual([])
  })
})

/** A hub with its directory, and a CRM that takes customers. */
async function startWithCrm(clock = createTestClock()) {
  const upserted: CustomerRecord[] = []
  let isAway = false
  const ports = {
    customers: {
      async upsert(one: CustomerRecord) {
        if (isAway) throw new RetryLaterError('The CRM is away.', { scope: 'destination', code: 'away' })
        upserted.push(one)
        return {}
      },
    },
  }
  const hub = await startTestHub({ destinations: { crm: { adapter: GIVEN, ports } }, config: { lookups }, clock })
  return {
    hub,
    upserted,
    goAway: () => {
      isAway = true
    },
    comeBack: () => {
      isAway = false
    },
    /** Waits until the POS is answered with these alone. */
    found: async (names: string[]) => {
      await eventually(async () => {
        const { body } = await hub.ask<{ firstName: string }[]>('/api/customers/search?query=kari@example.com', {
          headers: bearer(TOKEN),
        })
        expect(body.map(({ firstName }) => firstName).sort()).toEqual(names)
      })
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

/** Posts changes, each once all that the ones before owed is settled. */
function post(hub: TestHub) {
  let n = 0
  return async (payload: object, kind = 'CustomerUpdated') => {
    n += 1
    await hub.post(kind, payload, { eventId: `e-${n}` })
    await eventually(async () => {
      const all = await deliveriesOf(hub)
      expect(all.some(({ event }) => event === n)).toBe(true)
      expect(all.map(({ state }) => state)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/waiting|claimed/)]),
      )
    })
  }
}
