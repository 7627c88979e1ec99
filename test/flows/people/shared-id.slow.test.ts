import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/people/erasing.ts'
import type { FoundPerson } from '../../../src/admin/people/found-person.ts'
import { asking } from '../../cli/run.ts'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'

const NOBODY = '00000000-0000-0000-0000-000000000000'

const emailOf = (n: number) => `guest${n}@walkin${n}.example.com`

/** A sale to somebody whom the till writes down under an id. */
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

test('When a till writes everybody down under one id, then one of them is forgotten, and the others stay', async () => {
  await using hub = await startTestHub()
  for (let n = 0; n < 40; n++)
    await sold(hub, n, { customerId: 70_000_001, customerGuid: NOBODY, email: emailOf(n), customerExtId: '' })
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

test('When two have an id under other names and addresses, then the other is named, and not followed', async () => {
  await using hub = await startTestHub()
  await sold(hub, 1, { customerId: 70_000_002, email: emailOf(1), firstName: 'Kari', customerExtId: '' })
  await sold(hub, 2, { customerId: 70_000_002, email: emailOf(2), firstName: 'Ola', customerExtId: '' })
  // Who changes an address alone, or a name alone, is the same.
  await sold(hub, 4, { customerId: 70_000_002, email: emailOf(4), firstName: 'Kari Anne', customerExtId: '' })
  const found = await find(hub, emailOf(1))
  expect(found).toMatchObject({
    emails: [emailOf(1), emailOf(4)],
    events: 2,
    notFollowed: [{ shared: '70000002', other: emailOf(2), why: 'the first names and the e-mail addresses differ' }],
  })
  const byId = await erase(hub, '70000002')
  expect(byId.body.detail, 'asked by the id alone').toMatch(/several people have this address, number or id/)
  await erase(hub, emailOf(1))
  expect(guestsIn(hub, 5)).toEqual([2])
})

test('When an address leads to more than can be one person, then nothing is erased, and it is said why', async () => {
  await using hub = await startTestHub()
  for (let n = 0; n < 30; n++) {
    await sold(hub, n, { customerId: 71_000_000 + n, email: emailOf(0), customerExtId: '' })
    await sold(hub, 100 + n, { customerId: 71_000_000 + n, firstName: `Name${n}`, customerExtId: '' })
  }
  const { status, body } = await erase(hub, emailOf(0))
  expect({ status, detail: body.detail }).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/1 e-mail address and 30 first names.*hardly one person.*everybody/),
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

test('When two live at one address, then one is forgotten, the other keeps it, and it is said that it stays', async () => {
  await using hub = await startTestHub()
  const home = { lastName: 'Fjellheimsen', address1: 'Storgata 77B', phone: '', customerExtId: '' }
  await sold(hub, 1, { customerId: 81_000_001, email: emailOf(1), firstName: 'Ola', ...home })
  await sold(hub, 2, { customerId: 81_000_002, email: emailOf(2), firstName: 'Kari', ...home })
  const { secondPass } = (await erase(hub, emailOf(1))).body.proof ?? {}
  expect(secondPass).toMatchObject({ found: 0, doubts: expect.arrayContaining([expect.stringMatching(/event 2\)/)]) })
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
      notFollowed: [{ shared: emailOf(1), other: '70000012', why: 'the first names differ' }],
    })
    expect((await erase(hub, '70000011')).body).toMatchObject({ events: 1, proof: { secondPass: { found: 0 } } })
    expect(guestsIn(hub, 2), 'it is still that of the other').toEqual([1])
    expect((await erase(hub, emailOf(1))).body).toMatchObject({ events: 1, proof: { secondPass: { found: 0 } } })
    expect(guestsIn(hub, 2)).toEqual([])
  }
})

test('When a guest has the address of a customer under another name, then that is said where nobody asked by it', async () => {
  await using hub = await startTestHub()
  await sold(hub, 1, { email: emailOf(1), firstName: 'Kari', customerId: 70_000_011, phone: '', customerExtId: '' })
  await sold(hub, 2, { email: emailOf(1), firstName: 'Ola', customerId: 0, phone: '', customerExtId: '' })
  expect(await find(hub, '70000011')).toMatchObject({
    events: 1,
    notFollowed: [{ shared: emailOf(1), other: 'Ola', why: 'the first names differ' }],
  })
  const both = await hub.admin<FoundPerson>('people/find', { who: '70000011', also: [emailOf(1)] })
  expect(both.body).toMatchObject({ events: 2, notFollowed: [], isAmbiguous: false })
})
