import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import type { FoundPerson } from '../../../src/privacy/report.ts'
import { asking } from '../../cli/run.ts'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'

const NONE = '00000000-0000-0000-0000-000000000000'

const emailOf = (n: number) => `guest${n}@walkin${n}.example.com`

/** A sale to somebody whom the POS writes down under an id. */
async function sold(hub: TestHub, n: number, customer: object): Promise<void> {
  await hub.post('SaleCreated', sale({ receiptNo: String(1_000 + n), customer }), { eventId: `S-${n}` })
}

async function erase(hub: TestHub, who: string) {
  return await hub.admin<ErasedPerson & { detail: string }>('people/erase', { who, reason: 'asked', skipOpen: true })
}

const find = async (hub: TestHub, who: string) =>
  (await hub.admin<FoundPerson>('people/find', { who, reveal: true })).body

/** Which of these guests the file speaks of. */
function guestsIn(hub: TestHub, count: number): number[] {
  const bytes = Buffer.concat(['', '-wal'].map((ending) => readFileSync(hub.file + ending)))
  return Array.from({ length: count }, (_, n) => n).filter((n) => bytes.includes(emailOf(n)))
}

test('When a POS writes everybody down under one id, then one of them is erased, and the others stay', async () => {
  await using hub = await startTestHub()
  for (let n = 0; n < 40; n++)
    await sold(hub, n, { customerId: 70_000_001, customerGuid: NONE, email: emailOf(n), customerExtId: '' })
  const found = await find(hub, emailOf(3))
  expect(found).toMatchObject({ emails: [emailOf(3)], customerIds: [], events: 1, isAmbiguous: false })

  expect((await erase(hub, emailOf(3))).body).toMatchObject({ events: 1, proof: { secondPass: { found: 0 } } })
  expect(guestsIn(hub, 40)).toEqual(Array.from({ length: 40 }, (_, n) => n).filter((n) => n !== 3))
  const { out } = await asking(hub)('people', 'find', '70000001')
  expect(out).not.toContain('Nothing is kept')
  expect(out).toMatch(/Several people have this address, number or id: say whom by an e-mail address/)
  const { status, body } = await erase(hub, '70000001')
  expect({ status, detail: body.detail }).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/several people have this address, number or id\. Say whom by an e-mail address/),
  })
})

test('When an address is that of thirty customers, then nothing is erased, and it is said why', async () => {
  await using hub = await startTestHub()
  for (let n = 0; n < 30; n++) {
    await sold(hub, n, { customerId: 71_000_000 + n, email: emailOf(0), customerExtId: '' })
    await sold(hub, 100 + n, { customerId: 71_000_000 + n, firstName: `Name${n}`, customerExtId: '' })
  }
  const { status, body } = await erase(hub, emailOf(0))
  expect({ status, detail: body.detail }).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/several people have this address/),
  })
  expect(guestsIn(hub, 1)).toEqual([0])
})

test('When somebody has many names and addresses, then all of it goes', async () => {
  await using hub = await startTestHub()
  for (let n = 0; n < 18; n++)
    await sold(hub, n, {
      ...{ customerId: 72_000_000, email: emailOf(n % 8), customerExtId: '' },
      ...{ firstName: `Kari Anneæ${n}`, lastName: `Familynameø${n}` },
    })
  expect((await erase(hub, emailOf(0))).body).toMatchObject({ events: 18, proof: { secondPass: { found: 0 } } })
  expect(guestsIn(hub, 18)).toEqual([])
})

test('When two live at one address, then one is erased, and the other keeps it', async () => {
  await using hub = await startTestHub()
  const home = { lastName: 'Fjellheimsen', address1: 'Storgata 77B', phone: '', customerExtId: '' }
  await sold(hub, 1, { customerId: 81_000_001, email: emailOf(1), firstName: 'Ola', ...home })
  await sold(hub, 2, { customerId: 81_000_002, email: emailOf(2), firstName: 'Kari', ...home })
  const { secondPass } = (await erase(hub, emailOf(1))).body.proof ?? {}
  expect(secondPass).toMatchObject({ found: 0 })
  const bodies = await Promise.all([1, 2].map(async (id) => JSON.stringify((await hub.admin(`events/${id}`)).body)))
  expect(bodies.map((body) => body.includes('Storgata 77B'))).toEqual([false, true])
  expect(bodies.map((body) => body.includes('Fjellheimsen'))).toEqual([false, true])
  expect(bodies[1]).not.toContain('erased')
})

test('When guests typed other names with one address, then whoever asks by it is all of them, in any order', async () => {
  const guests = [
    { email: emailOf(1), firstName: 'Robert', phone: '41000001' },
    { email: emailOf(1), firstName: 'Bob', phone: '41000002' },
    { email: emailOf(1), firstName: 'Kari', phone: '' },
  ]
  for (const order of [guests, guests.toReversed()]) {
    await using hub = await startTestHub()
    for (const [n, guest] of order.entries()) await sold(hub, n, { ...guest, customerId: 0, customerExtId: '' })
    expect(await find(hub, emailOf(1))).toMatchObject({ events: 3, isAmbiguous: false })
    expect((await erase(hub, emailOf(1))).body).toMatchObject({ events: 3, proof: { secondPass: { found: 0 } } })
    expect(guestsIn(hub, 2)).toEqual([])
  }
})

test('When two customers have one address under other names, then it says nobody, and an id says whom', async () => {
  const two = [
    { email: emailOf(1), firstName: 'Kari', customerId: 70_000_011 },
    { email: emailOf(1), firstName: 'Ola', customerId: 70_000_012 },
  ]
  for (const order of [two, two.toReversed()]) {
    await using hub = await startTestHub()
    for (const [n, one] of order.entries()) await sold(hub, n, { ...one, phone: '', customerExtId: '' })
    const { detail } = (await erase(hub, emailOf(1))).body
    expect(detail).toMatch(/several people have this.*address/)
    expect(await find(hub, '70000011')).toMatchObject({
      customerIds: ['70000011'],
      events: 1,
      notFollowed: [{ shared: emailOf(1), other: '70000012', why: 'the customer ids differ' }],
    })
    expect((await erase(hub, '70000011')).body).toMatchObject({ events: 1, proof: { secondPass: { found: 0 } } })
    expect(guestsIn(hub, 2), 'it is still that of the other').toEqual([1])
    expect((await erase(hub, emailOf(1))).body).toMatchObject({ events: 1, proof: { secondPass: { found: 0 } } })
    expect(guestsIn(hub, 2)).toEqual([])
  }
})
