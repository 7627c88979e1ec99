import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Exported, FoundPerson } from '../../../src/privacy/report.ts'
import { payloadsIn } from '../../../src/storage/payload.ts'
import type { LegalHoldResult } from '../../../src/storage/rows.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { sale } from '../../fixtures/payloads.ts'
import type { TestHub } from '../../hub.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES, erase, ZEB } from './zeb.ts'

const DAY = 24 * 3_600_000

/** What of a person is in compressed payloads, in rows or in what is free of the file, which no search of raw bytes would show. */
function compressedWith({ file }: TestHub, texts: readonly string[] = CANARIES): string[] {
  const said = [file, `${file}-wal`].flatMap((path) => {
    const bytes = readFileSync(path)
    return [...payloadsIn(bytes, 0, bytes.length)].map(String)
  })
  return texts.filter((text) => said.some((one) => one.includes(text)))
}

async function aHubLongAfter() {
  const clock = createTestClock()
  const hub = await aHubThatKnowsZeb({ clock })
  clock.advance(DAY + 7_200_000)
  await hub.admin('jobs/compress-payloads/run', {})
  return hub
}

test('When payloads of a person are compressed, then they are found, handed out and erased, and none can be decompressed from the file', async () => {
  await using hub = await aHubLongAfter()
  expect(compressedWith(hub)).toEqual(CANARIES.filter((text) => text !== 'zebedaeus@canary.example.com'))

  const exported = (await hub.admin<Exported>('people/export', { who: ZEB.email, reason: 'asked' })).body
  expect(exported.events).toHaveLength(6)
  expect(JSON.stringify(exported)).toContain('Kanarigata 77B')
  const erased = (await erase(hub)).body

  expect(erased.touched).toMatchObject({ payloads: 6 })
  expect(erased.proof?.secondPass).toMatchObject({ found: 0 })
  const searched = erased.proof?.secondPass.searched.find(({ what }) => what === 'compressed payloads')
  expect(searched?.bytes).toBeGreaterThan(500)
  expect(compressedWith(hub)).toEqual([])
  expect(bytesWith(hub)).toEqual([])
  expect(compressedWith(hub, ['kari.nordmann@example.com'])).toHaveLength(1)
  const found = await hub.admin<FoundPerson>('people/find', { who: ZEB.email })
  expect(found.body).toMatchObject({ events: 0, touched: {} })

  const again = await hub.post('SaleCreated', sale({ customer: { ...ZEB, customerExtId: '' } }), { eventId: 'Z-2' })
  expect(again.body).toMatchObject({ status: 'duplicate' })
})

test('When a copy of a compressed payload is left in what is free of the file, then the second pass finds it, and it goes', async () => {
  await using hub = await aHubLongAfter()
  const db = new Database(hub.file)
  // A page that is given back with what is on it.
  db.pragma('secure_delete = off')
  db.exec('create table copied as select * from payloads; drop table copied')
  db.close()

  const erased = (await erase(hub)).body

  expect(erased.proof?.secondPass).toMatchObject({ found: 0 })
  expect(compressedWith(hub)).toEqual([])
  expect(compressedWith(hub, ['kari.nordmann@example.com'])).toHaveLength(1)
})

test('When an event of the person is under a legal hold, then nothing is erased until it is let go', async () => {
  await using hub = await aHubLongAfter()
  const held = await hub.admin<LegalHoldResult>('retention/hold', { events: [2], reason: `the case of ${ZEB.email}` })
  expect(held.body).toMatchObject({ changed: 1 })

  expect((await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body.held).toEqual([2])
  expect(await erase(hub)).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/legal hold.*event 2\b.*unhold/) },
  })
  expect(compressedWith(hub).length).toBeGreaterThan(3)
  await hub.admin('retention/unhold', { events: [2], reason: 'closed' })
  expect(await erase(hub)).toMatchObject({ status: 200 })
  expect(compressedWith(hub)).toEqual([])
  expect(bytesWith(hub)).toEqual([])
})

test('When a person stands in the archive and in a file that waits, then both are named, also where only the row of an event is left', async () => {
  using folder = temporaryFolder()
  const archive = join(folder.path, 'archive')
  const outbox = join(folder.path, 'outbox')
  mkdirSync(outbox)
  writeFileSync(join(outbox, 'orders.csv'), 'EA-9;Zebedæus Qvistgaardsen\n')
  writeFileSync(join(outbox, 'hers.csv'), `EA-9;Zebedæus Qvistgaardsen;${ZEB.email}\n`)
  writeFileSync(join(outbox, 'others.csv'), 'EA-8;Kari Nordmann\n')
  const clock = createTestClock()
  await using hub = await aHubThatKnowsZeb({
    clock,
    destinations: { erp: { adapter: 'files', folder: outbox, write: { movement: {} } } },
    retention: { archive: { folder: archive } },
  })
  await hub.admin('jobs/retention/run', {})
  clock.advance(91 * DAY)
  await hub.admin('jobs/retention/run', {})
  const pages = readdirSync(join(archive, 'manifest')).map((name) =>
    readFileSync(join(archive, 'manifest', name), 'utf8'),
  )
  const lines = pages.flatMap((page) => page.trim().split('\n'))
  const said = lines.map((line) => join(archive, JSON.parse(line).file))
  expect(said.length).toBeGreaterThan(2)

  const { out } = await asking(hub)('people', 'find', ZEB.email)
  expect(out).toMatch(/Files of the archive.*SaleCreated/)
  expect(out).toMatch(/Files of destinations.*hers\.csv/)
  expect(out).not.toContain('orders.csv')
  const erased = (await erase(hub, ZEB.email, { skipOpen: true })).body
  const warnings = erased.proof?.secondPass.warnings.join('\n') ?? ''
  expect(erased.files.waiting).toEqual([join(outbox, 'hers.csv')])
  expect(warnings).toContain(`${join(outbox, 'hers.csv')} speaks of the person`)
  expect(erased.files.archived.every(({ file }) => said.includes(file) && warnings.includes(file))).toBe(true)
  expect(erased.files.archived.some(({ file }) => file.includes('OmniChannelSendReceiptCreated'))).toBe(true)
  expect(erased.events).toBeGreaterThan(2)
  expect(bytesWith(hub)).toEqual([])
  expect(erased.proof?.secondPass.found).toBe(0)
})
