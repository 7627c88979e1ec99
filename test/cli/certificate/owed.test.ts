import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Certificate } from '../../../src/domain/ledger/certificate/certificate.ts'
import { eventually } from '../../eventually.ts'
import { sale, stockMovement } from '../../fixtures/payloads.ts'
import { ADMIN_TOKEN, createFolder, type Given } from '../../hub.ts'
import { openDesk, storeRecord } from '../../receiver/mirror/given.ts'
import { tillbridge } from '../run.ts'

const DAY_LONG = 86_400_000
/** A day that is over, and young enough for all that is kept. */
const DAY = new Date(Date.now() - 3 * DAY_LONG).toISOString().slice(0, 10)

async function openHub(given: Given = {}) {
  const desk = await openDesk(given)
  const { store } = desk.hub.hub
  const now = Date.now()
  for (const kind of ['SaleCreated', 'StockMovementCreated']) {
    const watermark = { level: 'log', kind, storeId: null, from: 0, until: now, since: now } as const
    await store.saveLedger({ watermarks: [{ type: 'put', watermark }] }, now)
  }
  const env = { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  return {
    desk,
    sold: (receiptNo: string, more: object = {}) =>
      desk.hub.post('SaleCreated', sale({ receiptNo, createdDateTime: `${DAY}T14:03:27`, ...more })),
    /** The first line of what is printed, and what is owed. */
    async certify(file: string, named = '101') {
      // One that is there already is left as it is.
      await rm(file, { force: true })
      const args = ['certificate', 'make', '--store', named, '--day', DAY, '--out', file, '--json']
      const { code, out, err } = await tillbridge(args, env)
      if (code !== 0) throw new Error(err)
      const { verdict, owed, rows, gaps } = JSON.parse(out) as Certificate
      return { verdict, owed, sales: rows.sales.length, gaps }
    },
  }
}

test('when sales wait, are held or lie aside before the mirror, then the certificate names them, and nobody says that nothing is missing', async () => {
  await using folder = await createFolder()
  const { desk, sold, certify } = await openHub()
  await using _ = desk
  const file = join(folder.path, 'day.json')
  await sold('1')
  await sold('2', { createdDateTime: `${DAY}T23:59:59` })
  await eventually(async () => expect(await certify(file)).toMatchObject({ verdict: 'proven', owed: [], sales: 2 }))

  // Of another day, of another store: no matter of this certificate.
  const unread = { orderLines: [{ gtin: 'nothing else' }] }
  await sold('3', { ...unread, createdDateTime: '2026-01-02T14:00:00' })
  await sold('4', { ...unread, store: { ...sale().store, storeExtId: '201' } })
  const { body: held } = await sold('5', unread)
  const { body: aside } = await desk.hub.post('SaleCreated', '{"receiptNo":')
  await eventually(async () => {
    const said = await certify(file)
    expect(said).toMatchObject({ verdict: 'unknown', sales: 2 })
    expect(said.owed).toContainEqual({ kind: 'SaleCreated', state: 'held', count: 1, events: [held.id], more: false })
  })
  await desk.hub.admin('destinations/mirror/pause', { reason: 'a test' })
  const { body: waits } = await desk.hub.post('StockMovementCreated', stockMovement({ stockId: 12 }))
  const { owed } = await certify(file)
  const one = { count: 1, more: false }
  expect(owed).toContainEqual({ kind: 'SaleCreated', state: 'quarantined', events: [aside.id], ...one })
  expect(owed?.some(({ events }) => events.includes(waits.id))).toBe(false)
  const shown = await tillbridge(['certificate', 'verify', file], {})
  expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/was not known.*Taken by the hub.*held +1/s) })

  // What moved on that day waits for a lane that is paused.
  const { body: moved } = await desk.hub.post(
    'StockMovementCreated',
    stockMovement({ movementId: 2, createdDateTime: `${DAY}T15:00:00` }),
  )
  expect((await certify(file)).owed).toContainEqual({
    ...{ kind: 'StockMovementCreated', state: 'waiting', events: [moved.id], ...one },
  })
})

test('when the store got another number and another stock since, then what is owed of its day is its own, and not that of who has them now', async () => {
  await using folder = await createFolder()
  const { desk, sold, certify } = await openHub()
  await using _ = desk
  await desk.hub.admin('destinations/mirror/pause', { reason: 'a test' })
  const { body: sale } = await sold('1')
  const of = (movementId: number, stockId: number) =>
    stockMovement({ movementId, stockId, stockExtId: undefined, createdDateTime: `${DAY}T15:00:00` })
  const { body: moved } = await desk.hub.post('StockMovementCreated', of(1, 12))
  const { body: inMalmo } = await desk.hub.post('StockMovementCreated', of(2, 13))
  await desk.hub.hub.store.saveStores(
    [
      storeRecord('42', { number: '301', name: 'Oslo City', stockId: '19' }),
      storeRecord('43', { number: '101', name: 'Malmö', stockId: '12' }),
    ],
    Date.now(),
  )
  const waiting = (kind: string, id: number) => ({ kind, state: 'waiting', count: 1, events: [id], more: false })

  expect(await certify(join(folder.path, 'oslo.json'), '301')).toMatchObject({
    verdict: 'unknown',
    owed: [waiting('SaleCreated', sale.id), waiting('StockMovementCreated', moved.id)],
  })
  expect(await certify(join(folder.path, 'malmo.json'), '101')).toMatchObject({
    owed: [waiting('StockMovementCreated', inMalmo.id)],
  })
})

test('when a day is older than what retention leaves of it, then there is no certificate of it', async () => {
  const { desk } = await openHub({ config: { retention: { mirror: { sales: '30d' } } } })
  await using _ = desk
  const env = { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  const day = new Date(Date.now() - 40 * DAY_LONG).toISOString().slice(0, 10)
  const made = await tillbridge(['certificate', 'make', '--store', '101', '--day', day], env)
  expect(made).toMatchObject({ code: 2, err: expect.stringContaining('of sales the hub keeps what is of ') })
})

test('when a person has said why the log of that day need tell nothing, from the day before on, then the certificate says who, and why', async () => {
  await using folder = await createFolder()
  const { desk, certify } = await openHub()
  await using _ = desk
  const { store } = desk.hub.hub
  const begin = Date.parse(`${DAY}T00:00:00Z`)
  const stretch = (from: number, to: number) => ({
    type: 'see' as const,
    gap: {
      ...({ road: 'log', cause: 'expired', kind: 'SaleCreated' } as const),
      ...{ storeId: null, destination: null, day: null, subject: `SaleCreated//${from}`, at: from },
      evidence: { log: { from, to } },
    },
  })
  const ofDay = stretch(begin - DAY_LONG, begin + DAY_LONG / 2)
  await store.saveLedger({ gaps: [stretch(begin - 3 * DAY_LONG, begin - 2 * DAY_LONG), ofDay] }, Date.now())
  const said = { by: 'kari', reason: 'the shop was closed', at: Date.now(), dryRun: false }
  await store.explainGaps({ cause: 'expired' }, said)

  expect(await certify(join(folder.path, 'day.json'))).toMatchObject({
    verdict: 'proven',
    gaps: [{ cause: 'expired', state: 'explained', reason: 'the shop was closed' }],
  })
})
