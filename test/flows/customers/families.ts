import { expect } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import type { Exported } from '../../../src/privacy/report.ts'
import { chance } from '../../chance.ts'
import { customer, endlessAisle, sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'

const FAMILIES = 2
const MEMBERS = 4

/** Families share a name, a home and a number; some of each have no address of their own, and some no number. */
function member(n: number) {
  const family = Math.floor(n / MEMBERS)
  return {
    ...{ customerId: 83_000_000 + n, customerGuid: '', customerExtId: '' },
    ...{ firstName: `Givenname${n}zz`, lastName: `Familyname${family}yy`, address1: `Kanarigata ${family}` },
    email: n % 4 === 3 ? '' : `mailbox${n}x@canary.example.com`,
    phoneCountryPrefix: '47',
    phone: n % MEMBERS === 2 ? '' : `4120000${family}`,
  }
}

const ownTexts = (n: number) => [member(n).firstName, member(n).email].filter((text) => text !== '')
/** Ids of eight digits, which may be numbers of telephones as well. */
const whoOf = (n: number) => member(n).email || String(member(n).customerId)

/** Members of families buy for each other, and are erased in an order of chance: each is handed what is theirs, and others lose nothing. */
export async function expectOthersKeepTheirs(seed: number): Promise<void> {
  const next = chance(seed)
  const anyone = () => Math.floor(next() * FAMILIES * MEMBERS)
  await using hub = await startTestHub()
  let events = 0
  let erased = 0
  for (; events < 40; events++) {
    const [buyer, consignee] = [member(anyone()), member(anyone())]
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
}

/** Erases somebody, for whom nothing is owed any more. */
export async function erase(hub: TestHub, who: string) {
  await hub.admin('events/dismiss', { filter: { state: 'unrouted' }, reason: 'nobody wants them' })
  return (await hub.admin<ErasedPerson>('people/erase', { who, reason: 'asked', skipOpen: true })).body
}

/** What is handed to somebody, as text. */
export const exportOf = async (hub: TestHub, who: string) =>
  (await hub.admin<Exported>('people/export', { who, reason: 'asked' })).text

/** The payloads of the first events, as they are kept. */
export async function bodiesOf(hub: TestHub, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, nth) => nth + 1)
  return await Promise.all(ids.map(async (id) => String((await hub.admin<{ body: string }>(`events/${id}`)).body.body)))
}
