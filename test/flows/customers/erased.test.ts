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
import { aHubThatKnowsZeb, bytesWith, erase, withoutHashes, ZEB } from './zeb.ts'

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
  expect(out).toMatch(/to be asked to erase them there: bus \(\d+ deliveries\)/)
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
