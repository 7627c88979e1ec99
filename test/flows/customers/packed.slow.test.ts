import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Exported, FoundPerson } from '../../../src/privacy/report.ts'
import { unpackBlockSync } from '../../../src/storage/payloads/block.ts'
import type { LegalHoldResult } from '../../../src/storage/rows.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { customer, sale } from '../../fixtures/payloads.ts'
import type { TestHub } from '../../hub.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES, erase, ZEB } from './zeb.ts'

const DAY = 24 * 3_600_000

interface Block {
  id: number
  body: Buffer
}

function blocksIn({ file }: TestHub): Block[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<[], Block>('select id, body from payload_blocks order by id').all()
  } finally {
    db.close()
  }
}

/** What of a person is in blocks, which no search of raw bytes would show. */
function packedWith(hub: TestHub, texts: readonly string[] = CANARIES): string[] {
  const said = blocksIn(hub).flatMap(({ body }) =>
    [...unpackBlockSync(body).values()].map((one) => `${one.headers} ${Buffer.from(one.body)}`),
  )
  return texts.filter((text) => said.some((one) => one.includes(text)))
}

/** Pieces of a compressed block that stand in the bytes of the store: each is long enough to be no chance. */
function piecesIn({ file }: TestHub, blocks: readonly Block[]): number {
  const piece = 24
  const bytes = [file, `${file}-wal`].map((path) => readFileSync(path))
  return blocks.reduce((sum, { body }) => {
    const starts = Array.from({ length: Math.floor((body.length - 21) / piece) }, (_, nth) => 21 + nth * piece)
    return sum + starts.filter((at) => bytes.some((some) => some.includes(body.subarray(at, at + piece)))).length
  }, 0)
}

async function aPackedHub() {
  const clock = createTestClock()
  const hub = await aHubThatKnowsZeb({ clock })
  clock.advance(DAY + 7_200_000)
  await hub.admin('jobs/pack/run', {})
  return { hub, clock }
}

test('When payloads of a person are packed, then they are found, handed out and erased, and no old block can be unpacked from the file', async () => {
  const { hub } = await aPackedHub()
  await using _ = hub
  const before = blocksIn(hub)
  expect(before.length).toBeGreaterThan(2)
  expect(packedWith(hub)).toEqual(CANARIES.filter((text) => text !== 'zebedaeus@canary.example.com'))
  expect(piecesIn(hub, before)).toBeGreaterThan(20)

  const exported = (await hub.admin<Exported>('people/export', { who: ZEB.email, reason: 'asked' })).body
  expect(exported.events).toHaveLength(6)
  expect(JSON.stringify(exported)).toContain('Kanarigata 77B')
  const erased = (await erase(hub)).body

  expect(erased.touched).toMatchObject({ payloads: 6 })
  expect(erased.proof?.secondPass).toMatchObject({ found: 0 })
  const searched = erased.proof?.secondPass.searched.find(({ what }) => what === 'packed payloads')
  expect(searched?.bytes).toBeGreaterThan(3_000)
  expect(packedWith(hub)).toEqual([])
  expect(bytesWith(hub)).toEqual([])
  const gone = before.filter(({ id }) => !blocksIn(hub).some((block) => block.id === id))
  expect(gone.length).toBeGreaterThan(2)
  expect(piecesIn(hub, gone)).toBe(0)
  expect(packedWith(hub, ['kari.nordmann@example.com'])).toHaveLength(1)
  const found = await hub.admin<FoundPerson>('people/find', { who: ZEB.email })
  expect(found.body).toMatchObject({ events: 0, touched: {} })

  const again = await hub.post('SaleCreated', sale({ customer: { ...ZEB, customerExtId: '' } }), { eventId: 'Z-2' })
  expect(again.body).toMatchObject({ status: 'duplicate' })
})

test('When a block was joined by later payloads before its person is erased, then nothing of the earlier block is left either', async () => {
  const { hub, clock } = await aPackedHub()
  await using _ = hub
  const first = blocksIn(hub)
  await hub.post('CustomerCreated', customer({ customerId: 5, email: 'ida@example.com' }), { eventId: 'I-1' })
  clock.advance(2 * DAY)
  await hub.admin('jobs/pack/run', {})
  const joined = first.filter(({ id }) => !blocksIn(hub).some((block) => block.id === id))
  expect(joined.length).toBeGreaterThan(0)

  await erase(hub)
  expect(piecesIn(hub, joined)).toBe(0)
  expect(packedWith(hub)).toEqual([])
  expect(packedWith(hub, ['ida@example.com'])).toHaveLength(1)
})

test('When an event of the person is under a legal hold, then nothing is erased until it is let go', async () => {
  const { hub } = await aPackedHub()
  await using _ = hub
  const held = await hub.admin<LegalHoldResult>('retention/hold', { events: [2], reason: `the case of ${ZEB.email}` })
  expect(held.body).toMatchObject({ changed: 1 })

  expect((await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body.held).toEqual([2])
  expect(await erase(hub)).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/legal hold.*event 2\b.*unhold/) },
  })
  expect(packedWith(hub).length).toBeGreaterThan(3)
  await hub.admin('retention/unhold', { events: [2], reason: 'closed' })
  expect(await erase(hub)).toMatchObject({ status: 200 })
  expect(packedWith(hub)).toEqual([])
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
