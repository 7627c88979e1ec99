import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import type { Exported, FoundPerson } from '../../../src/privacy/report.ts'
import { backUp } from '../../../src/storage/backup.ts'
import { asking } from '../../cli/run.ts'
import { eventually } from '../../eventually.ts'
import { customer, sale } from '../../fixtures/payloads.ts'
import { deliveriesOf, keptIn, startTestHub } from '../../hub.ts'
import { startSink } from '../../sink.ts'
import { aHubThatKnowsZeb, bytesWith, erase, testOnPostgres, withoutHashes, ZEB } from './zeb.ts'

test('When a person is erased, then no byte of the store says who it was, and the books stay', async () => {
  await using sink = await startSink()
  sink.play(({ body }) =>
    body.includes('EA-9')
      ? { status: 400, body: '{"errors":{"customer":"no such customer as Zebedæus Qvistgaardsen"}}' }
      : { status: 200 },
  )
  await using hub = await aHubThatKnowsZeb({ url: sink.url })
  const dead = (await deliveriesOf(hub)).find(({ state }) => state === 'dead')
  const run = asking(hub)
  await run('deliveries', 'skip', String(dead?.id), '--reason', `${ZEB.email} asked for it`)
  expect(bytesWith(hub).length).toBeGreaterThan(3)
  const before = keptIn(hub)

  const erased = (await hub.admin<ErasedPerson>('people/erase', { who: ZEB.email, reason: `${ZEB.email} asked` })).body
  expect(erased.proof?.secondPass).toMatchObject({ found: 0 })
  expect(erased.touched).toMatchObject({ payloads: 6, customers: 2, audit: 1, submissions: 1 })
  expect(bytesWith(hub)).toEqual([])
  expect(withoutHashes(JSON.stringify(erased.proof))).not.toMatch(/zebed|qvist|canary|4123|kanari/i)

  const after = keptIn(hub)
  const books = (kept: typeof after) =>
    kept
      .filter(({ kind }) => kind === 'SaleCreated')
      .map(({ body }) => {
        const { customer: _, ...rest } = JSON.parse(String(body))
        return rest
      })
  expect(books(after)).toEqual(books(before))
  expect(after.filter(({ body }) => body.includes(erased.proof?.pseudonym ?? '?'))).toHaveLength(6)
  expect(after.find(({ transportKey }) => transportKey === 'O-2')?.body.toString()).toContain(
    'kari.nordmann@example.com',
  )
  const audit = await run('audit', 'list', '--action', 'people erase')
  expect(audit.out).toContain(erased.proof?.pseudonym)
  expect((await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body).toMatchObject({
    events: 0,
    touched: {},
  })
})

test('When what an erased person bought comes again, also richer than before, then it is a copy and brings nothing back', async () => {
  await using hub = await aHubThatKnowsZeb()
  const count = keptIn(hub).length
  await erase(hub, String(ZEB.customerId))
  const bought = sale({ customer: { ...ZEB, customerExtId: '' } })

  expect((await hub.post('SaleCreated', bought, { eventId: 'Z-2' })).body).toMatchObject({ status: 'duplicate' })
  expect(
    (await hub.post('SaleCreated', { ...bought, receiptUrl: 'https://receipts.example.com/1' })).body,
  ).toMatchObject({ status: 'duplicate' })
  expect(
    (await hub.post('CustomerCreated', customer({ ...ZEB, address1: 'Kanarigata 77B' }), { eventId: 'Z-1' })).body,
  ).toMatchObject({ status: 'duplicate' })
  expect(keptIn(hub)).toHaveLength(count)
  expect(bytesWith(hub)).toEqual([])
})

test('When it is only tried, or asked for, then nothing changes, and what is handed out is of that person alone', async () => {
  await using hub = await aHubThatKnowsZeb()
  const before = keptIn(hub)

  const tried = (await hub.admin<ErasedPerson>('people/erase', { who: '412 39 876', dryRun: true })).body
  expect(tried).toMatchObject({ dryRun: true, proof: null, touched: { payloads: 6 } })
  expect(keptIn(hub)).toEqual(before)
  const exported = (await hub.admin<Exported>('people/export', { who: ZEB.email, reason: 'asked' })).body
  expect(exported.events).toHaveLength(6)
  expect(JSON.stringify(exported)).toContain('Kanarigata 77B')
  expect(JSON.stringify(exported)).not.toMatch(/nordmann/i)
  const { out } = await asking(hub)('people', 'find', ZEB.email)
  expect(out).toMatch(/Customer ids: .*4790001/)
  expect(out).toMatch(/payloads +6/)
  expect(out).toMatch(/an operator has to ask them to erase: bus \(\d+ deliveries\)/)
  expect(out).not.toMatch(/zebedaeus@/i)
})

test('When a family shares a number, then one of them is erased and the other is not touched', async () => {
  await using hub = await aHubThatKnowsZeb()
  const sister = {
    ...ZEB,
    customerId: 4_790_002,
    email: 'nora@canary.example.com',
    firstName: 'Nora',
    customerGuid: '11111111-2222-4333-8444-666666666666',
  }
  await hub.post('CustomerCreated', customer({ ...sister, address1: 'Kanarigata 77B' }), { eventId: 'N-1' })
  await eventually(async () => expect((await deliveriesOf(hub))[0]?.state).toBe('delivered'))

  const byPhone = await erase(hub, '+4741239876')
  expect(byPhone).toMatchObject({ status: 400, body: { detail: expect.stringContaining('several people') } })
  const found = (await hub.admin<FoundPerson>('people/find', { who: ZEB.email, reveal: true })).body
  expect(found.notFollowed).toMatchObject([{ other: '4790002', why: 'the customer ids differ' }])
  await erase(hub)

  const nora = keptIn(hub).find(({ transportKey }) => transportKey === 'N-1')
  expect(String(nora?.body)).toMatch(/Nora.*Qvistgaardsen.*Kanarigata 77B.*41239876/)
  expect(bytesWith(hub, ['Zebedæus', 'zebedaeus@canary'])).toEqual([])
})

test('When a backup of before is restored, then the proof repeats the erasure there, and no byte says who it was', async () => {
  await using hub = await aHubThatKnowsZeb()
  const copy = join(hub.folder, 'backup.db')
  await backUp(hub.config.store.url, copy)
  const proofFile = join(hub.folder, 'proof.json')
  const { code } = await asking(hub)('people', 'erase', ZEB.email, '--reason', 'asked', '--proof-to', proofFile)
  expect(code).toBe(0)
  const proof = readFileSync(proofFile, 'utf8')
  expect(withoutHashes(proof)).not.toMatch(/zebed|qvist|canary|4123|kanari|4790001/i)

  await using restored = await startTestHub({ folder: hub.folder, config: { store: { url: `file:${copy}` } } })
  expect(bytesWith(restored).length).toBeGreaterThan(3)
  const tried = await asking(restored)('people', 'erase', '--proof', proofFile, '--dry-run')
  expect(tried.out).toMatch(/payloads +6/)
  const again = await asking(restored)(
    'people',
    'erase',
    '--proof',
    proofFile,
    '--reason',
    'the backup of Monday',
    '--skip-open',
  )
  expect(again.out).toContain(JSON.parse(proof).pseudonym)
  expect(again.out).toContain('nothing of the person found')
  expect(bytesWith(restored)).toEqual([])
  expect(
    keptIn(restored)
      .find(({ transportKey }) => transportKey === 'O-2')
      ?.body.toString(),
  ).toContain('kari.nordmann')
})

for (const customerId of [4_790_001, 47_900_017] as const)
  test(`When a sale of the mirror names a person by the id ${customerId} and a name alone, then an erasure by the address reaches it`, async () => {
    await using hub = await startTestHub({
      config: { mirror: 'all', lookups: { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } } },
    })
    const { firstName, lastName } = ZEB
    await hub.post('CustomerCreated', customer({ ...ZEB, customerId }), { eventId: 'Z-1' })
    const nameless = { email: '', phone: '', customerExtId: '' }
    const bought = { ...sale().customer, ...nameless, customerId, firstName, lastName }
    await hub.post('SaleCreated', sale({ customer: bought }), { eventId: 'Z-2' })
    // Somebody else has an id that begins like it.
    const other = { ...bought, customerId: customerId * 10, firstName: 'Kari', lastName: 'Nordmann' }
    await hub.post('SaleCreated', sale({ receiptNo: '1002', customer: other }), { eventId: 'O-1' })
    const rows = () => hub.hub.storage.mirrorPage({ set: 'sales' }, null, 10)
    await eventually(async () => {
      const said = JSON.stringify(await rows())
      expect([lastName, 'Kari'].filter((name) => !said.includes(name))).toEqual([])
      const states = (await deliveriesOf(hub)).map(({ state }) => state)
      expect(states.filter((state) => !['delivered', 'superseded'].includes(state))).toEqual([])
    })

    const erased = await erase(hub)
    expect(erased.status).toBe(200)
    const left = JSON.stringify(await rows())
    expect([firstName, lastName, `"${customerId}"`].filter((text) => left.includes(text))).toEqual([])
    expect(left).toContain('Kari')
    expect(bytesWith(hub, [firstName, lastName])).toEqual([])
  })

test('When a sale of somebody else says an address, then whoever asks for what is kept of that one is handed it without the buyer', async () => {
  await using hub = await startTestHub({
    config: { mirror: 'all', lookups: { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } } },
  })
  await hub.post('CustomerCreated', customer(ZEB), { eventId: 'Z-1' })
  await hub.post('SaleCreated', sale({ customer: { ...ZEB, customerExtId: '' } }), { eventId: 'Z-2' })
  const kari = { ...sale().customer, customerId: 701, email: 'kari1@example.com', firstName: 'Kari', lastName: 'Lie' }
  const line = { ...(sale().orderLines[0] as object), reasons: [`For ${ZEB.email}`] }
  const theirs = { receiptNo: '1003', orderLines: [line], customer: { ...kari, phone: '91000011', customerExtId: '' } }
  await hub.post('SaleCreated', sale(theirs), { eventId: 'K-1' })
  await eventually(async () => {
    const rows = await hub.hub.storage.mirrorPage({ set: 'sales' }, null, 10)
    expect(JSON.stringify(rows)).toMatch(/1001.*1003/)
  })

  const { body } = await hub.admin<Exported>('people/export', { who: ZEB.email, reason: 'asked' })
  const mirrored = body.rows.filter(({ table }) => table === 'mirror').map(({ says }) => JSON.parse(says.body ?? ''))
  expect(mirrored).toMatchObject([
    { receiptNo: '1001', customerId: '4790001', customer: { firstName: 'Zebedæus' } },
    { receiptNo: '1003', lines: [{ reasons: `For ${ZEB.email}` }] },
  ])
  expect(JSON.stringify(body)).not.toMatch(/kari|"lie"|91000011|"701"/i)
})

/** Erases somebody whom own systems know by a short id; the customers of the sales that the mirror has afterwards, by their receipts. */
async function leftOfShortIds(store?: { url: string }): Promise<Map<string, unknown>> {
  const lookups = { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } }
  await using hub = await startTestHub({ config: { mirror: 'all', lookups, ...(store && { store }) } })
  const ids = { customerId: 1007, customerExtId: 'shop:17' }
  await hub.post('CustomerCreated', customer({ ...ZEB, ...ids }), { eventId: 'Z-1' })
  const { firstName, lastName } = ZEB
  const nameless = { ...sale().customer, ...ids, email: '', phone: '', firstName, lastName }
  const bought = [
    { receiptNo: 'both', customer: nameless },
    { receiptNo: 'own', customer: { ...nameless, customerId: 0 } },
    { receiptNo: 'another', customer: { ...nameless, customerExtId: 'pos-9' } },
    { receiptNo: 'other', customer: { ...nameless, customerId: 10_070, customerExtId: 'shop:170', firstName: 'Kari' } },
  ]
  for (const given of bought) await hub.post('SaleCreated', sale(given), { eventId: given.receiptNo })
  const rows = () => hub.hub.storage.mirrorPage({ set: 'sales' }, null, 10)
  await eventually(async () => expect(await rows()).toHaveLength(bought.length))
  // Beside transactions of others on a server, the index may come later.
  await eventually(async () => {
    const asked = { who: ZEB.email, reason: 'asked', skipOpen: true }
    expect((await hub.admin<ErasedPerson>('people/erase', asked)).status).toBe(200)
  })
  return new Map((await rows()).map(({ body }) => [String(body.receiptNo), [body.customerId, body.customer]]))
}

function expectErased(left: Map<string, unknown>): void {
  for (const receipt of ['both', 'own', 'another'])
    expect(JSON.stringify(left.get(receipt)), receipt).not.toMatch(/1007|shop:17|pos-9|Zeb|Qvist/)
  expect(JSON.stringify(left.get('other'))).toMatch(/10070.*Kari.*shop:170/)
}

test('When sales of the mirror have short ids of a person in own systems, then they are erased, and longer ones stay', async () => {
  expectErased(await leftOfShortIds())
})

testOnPostgres('Sales of the mirror with short ids are erased', async (store) => {
  expectErased(await leftOfShortIds(store))
})

/** Erases by an address in small letters; what a row of the mirror says afterwards that has it in capitals. */
async function leftInCapitals(store?: { url: string }): Promise<string> {
  const lookups = { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } }
  await using hub = await startTestHub({ config: { mirror: 'all', lookups, ...(store && { store }) } })
  await hub.post('CustomerCreated', customer({ email: 'ola@example.com' }), { eventId: 'C-1' })
  const row = { key: 'D-1', place: '1', article: null, day: '', part: null, version: 0, tie: 0 }
  const body = { comment: 'for Ola@Example.COM', other: 'for Kari@Example.COM' }
  await hub.hub.storage.saveMirror([{ type: 'put', row: { ...row, set: 'goods-deliveries', body } }], Date.now())
  // Beside transactions of others on a server, the index may come later.
  await eventually(async () => {
    const asked = { who: 'ola@example.com', reason: 'asked', skipOpen: true }
    expect((await hub.admin<ErasedPerson>('people/erase', asked)).status).toBe(200)
  })
  return JSON.stringify(await hub.hub.storage.mirrorPage({ set: 'goods-deliveries' }, null, 10))
}

test('When a row of the mirror has an address in capitals, then an erasure by it in small letters reaches it', async () => {
  const left = await leftInCapitals()
  expect(left).not.toMatch(/ola@example\.com/i)
  expect(left).toContain('Kari@Example.COM')
})

testOnPostgres('An address in capitals is reached', async (store) => {
  expect(await leftInCapitals(store)).not.toMatch(/ola@example\.com/i)
})
