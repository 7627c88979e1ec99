import { expect, test } from 'vitest'
import type { Exported } from '../../../src/admin/people/export.ts'
import type { ErasedPerson, FoundPerson } from '../../../src/admin/people/people.ts'
import { chance } from '../../chance.ts'
import { customer, endlessAisle, sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'

const HOME = { lastName: 'Fjellheimsenius', address1: 'Kanarigata 77B', customerGuid: '', customerExtId: '' }
const PHONE = { phoneCountryPrefix: '47', phone: '41239876' }
const ANNA = { customerId: 4_790_001, firstName: 'Annakanari', email: 'anna@canary.example.com', ...HOME, ...PHONE }
const BERNT = { customerId: 4_790_002, firstName: 'Berntkanari', email: 'bernt@canary.example.com', ...HOME, ...PHONE }

async function erase(hub: TestHub, who: string) {
  await hub.admin('events/dismiss', { filter: { state: 'unrouted' }, reason: 'nobody wants them' })
  return (await hub.admin<ErasedPerson>('people/erase', { who, reason: 'asked', skipOpen: true })).body
}

const exportOf = async (hub: TestHub, who: string) =>
  (await hub.admin<Exported>('people/export', { who, reason: 'asked' })).text

const find = async (hub: TestHub, who: string) => (await hub.admin<FoundPerson>('people/find', { who })).body

async function bodiesOf(hub: TestHub, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, nth) => nth + 1)
  return await Promise.all(ids.map(async (id) => String((await hub.admin<{ body: string }>(`events/${id}`)).body.body)))
}

test.each([
  { asked: ANNA, other: BERNT, share: 'a number', without: {} },
  { asked: BERNT, other: ANNA, share: 'a number', without: {} },
  { asked: ANNA, other: BERNT, share: 'their home alone', without: { phone: '' } },
  { asked: BERNT, other: ANNA, share: 'their home alone', without: { phone: '' } },
])(
  'When one buys for another with whom they share $share ($asked.firstName), then each has what is theirs, and keeps it',
  async ({ asked, other, without }) => {
    await using hub = await startTestHub()
    const [anna, bernt] = [ANNA, BERNT].map((one) => ({ ...one, ...without }))
    await hub.post('CustomerCreated', customer(anna), { eventId: 'C-1' })
    // Who is only sent something has no id there.
    const shippingAddress = { ...bernt, customerId: 0 }
    await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ customer: anna, shippingAddress }))
    await hub.post('CustomerCreated', customer(bernt), { eventId: 'C-2' })

    const exported = await exportOf(hub, asked.email)
    expect(exported).toContain(asked.firstName)
    expect(exported).not.toMatch(new RegExp(`${other.firstName}|${other.email}`))

    expect((await erase(hub, asked.email)).proof?.secondPass).toMatchObject({ found: 0 })
    const order = (await bodiesOf(hub, 3))[1]
    expect(order).not.toMatch(new RegExp(`${asked.firstName}|${asked.email}`))
    for (const text of [other.firstName, other.email, HOME.lastName, HOME.address1]) expect(order).toContain(text)
    expect(order?.includes(PHONE.phone)).toBe(!('phone' in without))

    expect((await find(hub, other.email)).events, 'the order is still found by who is left').toBe(2)
    if (!('phone' in without)) expect((await find(hub, PHONE.phone)).events).toBe(2)
    expect((await erase(hub, other.email)).proof?.secondPass).toMatchObject({ found: 0 })
    expect((await bodiesOf(hub, 3)).join()).not.toMatch(/kanari|Fjellheim|41239876/i)
  },
)

test('When two customers live at one address, then the record of who is not forgotten stays as it is', async () => {
  await using hub = await startTestHub()
  await hub.post('CustomerCreated', customer({ ...ANNA, phone: '' }), { eventId: 'C-1' })
  await hub.post('CustomerCreated', customer({ ...BERNT, phone: '' }), { eventId: 'C-2' })
  const [, before] = await bodiesOf(hub, 2)
  expect((await erase(hub, ANNA.email)).proof?.secondPass).toMatchObject({ found: 0 })
  const [erased, after] = await bodiesOf(hub, 2)
  expect(erased).not.toMatch(/kanari|Fjellheim/i)
  expect(after).toBe(before)
})

const FAMILIES = 2
const MEMBERS = 4

/** Families share a name, a home and a number; some of each have no address of their own, and some no number. */
function member(n: number) {
  const family = Math.floor(n / MEMBERS)
  return {
    ...{ customerId: 83_000_000 + n, customerGuid: '', customerExtId: '' },
    ...{
      firstName: `Givenname${n}zz`,
      lastName: `Familyname${family}yy`,
      email: n % 4 === 3 ? '' : `mailbox${n}x@canary.example.com`,
    },
    ...{
      phoneCountryPrefix: '47',
      phone: n % MEMBERS === 2 ? '' : `4120000${family}`,
      address1: `Kanarigata ${family}`,
    },
  }
}

const ownTexts = (n: number) => [member(n).firstName, member(n).email].filter((text) => text !== '')
/** Ids of eight digits, which may be numbers of telephones as well. */
const whoOf = (n: number) => member(n).email || String(member(n).customerId)

test.each([1, 2])(
  'When members of families buy for each other, and are forgotten in any order (%i), then others lose nothing',
  async (seed) => {
    const next = chance(seed)
    const anybody = () => Math.floor(next() * FAMILIES * MEMBERS)
    await using hub = await startTestHub()
    let events = 0
    let erased = 0
    for (; events < 40; events++) {
      const [buyer, consignee] = [member(anybody()), member(anybody())]
      const shippingAddress = next() < 0.5 && consignee.email ? { ...consignee, customerId: 0 } : consignee
      const sort = next()
      if (sort < 0.3) await hub.post('CustomerUpdated', customer(buyer), { eventId: `C-${events}` })
      else if (sort < 0.5)
        await hub.post('SaleCreated', sale({ receiptNo: `${events}`, customer: buyer }), { eventId: `S-${events}` })
      else
        await hub.post(
          'OmniChannelEndlessAisleOrderCreated',
          endlessAisle({ id: 9_000 + events, orderNo: `EA-${events}`, customer: buyer, shippingAddress }),
        )
    }
    const left = new Set(Array.from({ length: FAMILIES * MEMBERS }, (_, n) => n))
    const order = [...left].map((n) => ({ n, at: next() })).sort((a, b) => a.at - b.at)
    for (const { n } of order) {
      const before = (await bodiesOf(hub, events)).join()
      left.delete(n)
      const others = [...left].flatMap(ownTexts)
      if (!before.includes(whoOf(n))) continue
      const exported = await exportOf(hub, whoOf(n))
      expect(others.filter((text) => exported.includes(text))).toEqual([])
      expect((await erase(hub, whoOf(n))).proof?.secondPass, `${n}`).toMatchObject({ found: 0 })
      erased += 1
      const after = (await bodiesOf(hub, events)).join()
      expect(ownTexts(n).filter((text) => after.includes(text))).toEqual([])
      const counts = (text: string) => before.split(text).length - after.split(text).length
      expect(others.filter((text) => counts(text) !== 0)).toEqual([])
    }
    expect(erased).toBeGreaterThan(4)
    expect((await bodiesOf(hub, events)).join()).not.toMatch(/Givenname|Familyname|mailbox|Kanarigata|4120000/)
  },
)
