import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { KindStanding } from '../../../src/admin/kinds.ts'
import { examineSchemaChanges } from '../../../src/cli/doctor/fields.ts'
import { createClient } from '../../../src/cli/shared/client.ts'
import type { JobStatus } from '../../../src/domain/health/job-status.ts'
import { toldBy } from '../../admin/health-kit.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { logged, saleNo } from '../../delivery/kit/kit.ts'
import { ADMIN_TOKEN, busTo, createFolder, startTestHub, type TestHub } from '../../hub.ts'
import { startSink } from '../../sink.ts'
import { asOwner, NO_SERVER, SERVER, temporarySchema } from '../../store/postgres/schema.ts'

/* Payloads that begin to look otherwise are told, once, with where it is and what it touches. */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const look = async (hub: TestHub) => (await hub.admin<JobStatus>('jobs/payloads/run', {})).body.note
const drifts = async (hub: TestHub) => (await toldBy(hub)).filter(({ area }) => area === 'payload')
const kindOf = async (hub: TestHub) => (await hub.admin<KindStanding>('kinds/SaleCreated')).body

/** A sale with what no sale had before, and whose customer must not be seen by it. */
function oddSale(no: number) {
  return { ...saleNo(no), loyaltyNote: 'Kari Nordmann, 91 23 45 67', paymentLines: null }
}

test('When a field comes that none had, and null where none ever was, then it is told once, through a restart, until somebody acknowledges it', async () => {
  await using folder = await createFolder()
  await using bus = await startSink()
  const clock = createTestClock()
  const given = { clock, folder: folder.path, destinations: { bus: busTo(bus.url) } }
  let no = 0
  const next = () => {
    no += 1
    return no
  }
  {
    await using hub = await startTestHub(given)
    for (let day = 0; day < 4; day += 1) {
      for (let sale = 0; sale < 30; sale += 1) await hub.post('SaleCreated', saleNo(next()))
      clock.advance(DAY)
      expect(await look(hub)).toBe('30 payloads of 1 kind looked at; nothing is new in them')
    }
    expect(await drifts(hub)).toEqual([])
  }

  await using hub = await startTestHub(given)
  const { id } = (await hub.post('SaleCreated', oddSale(next()))).body
  clock.advance(MINUTE)
  expect(await look(hub)).toBe(
    '1 payload of 1 kind looked at; new: SaleCreated paymentLines (null), SaleCreated loyaltyNote (field)',
  )
  for (let more = 0; more < 3; more += 1) await hub.post('SaleCreated', oddSale(next()))
  clock.advance(MINUTE)
  expect(await look(hub)).toContain('nothing is new')

  expect(await drifts(hub)).toMatchObject([
    {
      name: 'SaleCreated paymentLines: null',
      state: 'problem',
      means: expect.stringContaining(
        `paymentLines is null, which it never was (until now list). First in event ${id}.`,
      ),
    },
    {
      name: 'SaleCreated loyaltyNote: new',
      state: 'note',
      means: expect.stringMatching(
        `^loyaltyNote was never there before: a text of 26 characters\\. First in event ${id}\\. It touches .*book-sale`,
      ),
    },
  ])
  expect(logged(hub, 'payload.drifted')).toHaveLength(2)
  await hub.admin('jobs/alarms/run', {})
  await hub.admin('jobs/alarms/run', {})
  expect(logged(hub, 'alarm.began')).toMatchObject([
    { rule: 'payload-breaks', level: 50, things: ['payload SaleCreated paymentLines: null'] },
    { rule: 'payload-changed', level: 40, things: ['payload SaleCreated loyaltyNote: new'] },
  ])

  const run = asking(hub)
  const shown = await run('kinds', 'show', 'SaleCreated')
  expect(shown.out).toMatch(
    /^ {2}\d{4}-\d\d-\d\d: loyaltyNote was never there before: a text of 26 characters; first in event \d+; touches /m,
  )
  const client = () => createClient({ TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  expect(await examineSchemaChanges(client)).toMatchObject([
    { state: 'note', says: 'Payloads of SaleCreated have 2 things that none had before.' },
  ])
  const acknowledged = await run('kinds', 'acknowledge', 'SaleCreated', '--reason', 'the new release')
  expect(acknowledged.out).toBe('What has changed of SaleCreated until now is acknowledged.\n')
  expect(await drifts(hub)).toEqual([])
  expect(await examineSchemaChanges(client)).toEqual([])
  expect((await run('kinds', 'show', 'SaleCreated')).out).toMatch(/^Acknowledged until .* by .*: the new release\.$/m)
  expect((await run('audit', 'list', '--action', 'acknowledge-kind')).out).toContain('the new release')
  expect((await run('kinds', 'acknowledge', 'SaleCreatd')).err).toContain('Nothing is known of the kind "SaleCreatd".')

  await hub.post('SaleCreated', { ...saleNo(next()), another: 1 })
  clock.advance(MINUTE)
  await look(hub)
  expect((await drifts(hub)).map(({ name }) => name)).toEqual(['SaleCreated another: new'])
  expect(
    JSON.stringify([hub.lines.filter(({ msg }) => /drift|alarm/.test(msg)), await kindOf(hub), shown]),
  ).not.toMatch(/Nordmann|23 45/)
}, 60_000)

test('When a run ends before it could say how far it had come, then the next one counts no payload twice, and finds nothing again', async () => {
  const clock = createTestClock()
  await using hub = await startTestHub({ clock })
  for (let no = 0; no < 30; no += 1) await hub.post('SaleCreated', saleNo(no))
  clock.advance(MINUTE)
  expect(await look(hub)).toContain('30 payloads of 1 kind looked at')
  const shapes = () => hub.hub.store.findings({ sort: 'payload-shape' }, null, 10)
  const before = await shapes()
  const file = new Database(hub.file)
  file.exec("update jobs set state = null where name = 'payloads'")
  file.close()

  await hub.post('SaleCreated', saleNo(31))
  clock.advance(MINUTE)
  expect(await look(hub)).toBe('1 payload of 1 kind looked at, 30 passed over; nothing is new in them')
  expect((await shapes()).map(({ says }) => says.payloads)).toEqual(before.map(({ says }) => says.payloads + 1))
})

test('When far more come than can be looked at, then a few of each kind are, and the hub gets to the end of them', async () => {
  const clock = createTestClock()
  await using hub = await startTestHub({ clock })
  const posts = Array.from({ length: 600 }, (_, no) => hub.post('SaleCreated', saleNo(no)))
  await Promise.all(posts)
  await hub.post('SomethingOfTheirOwn', '{"a": 1}')
  await hub.post('SaleCreated', 'no JSON')
  await hub.post('Products', JSON.stringify({ rows: 'x'.repeat(1_100_000) }))
  clock.advance(MINUTE)
  expect(await look(hub)).toBe('41 payloads of 2 kinds looked at, 562 passed over; nothing is new in them')
  expect(await look(hub)).toBe('0 payloads of 0 kinds looked at; nothing is new in them')
})

test.skipIf(SERVER === undefined)(
  `When two hubs on one store learn in turn and at once, then each drift is found once, and neither forgets what the other has learned (${SERVER ? 'PostgreSQL' : NO_SERVER})`,
  async () => {
    await using schema = await temporarySchema()
    const given = { config: { store: { url: schema.url } } }
    await using one = await startTestHub(given)
    await using two = await startTestHub(given)
    const hubs = [one, two]
    /** What came just now came so much earlier: the server has its own clock. */
    const cameEarlier = (ms: number) =>
      asOwner(
        `update ${schema.name}.events set received_at = received_at - ${ms} where received_at > ${Date.now() - 10 * MINUTE}`,
      )
    const lookBoth = () => Promise.all(hubs.map(look))
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        Array.from({ length: 30 }, (_, sale) => hubs[sale % 2]?.post('SaleCreated', saleNo(round * 30 + sale))),
      )
      await cameEarlier((4 - round) * DAY)
      await lookBoth()
    }
    await Promise.all(hubs.map((hub, nth) => hub.post('SaleCreated', oddSale(1_000 + nth))))
    await cameEarlier(MINUTE)
    await lookBoth()
    await lookBoth()

    const found = hubs.flatMap((hub) => logged(hub, 'payload.drifted').map(({ path, what }) => `${path} ${what}`))
    expect(found.sort()).toEqual(['loyaltyNote field', 'paymentLines null'])
    for (const hub of hubs)
      expect((await drifts(hub)).map(({ name }) => name)).toEqual([
        'SaleCreated paymentLines: null',
        'SaleCreated loyaltyNote: new',
      ])
    const shapes = await one.hub.store.findings({ sort: 'payload-shape' }, null, 10)
    expect(shapes.map(({ says }) => says.payloads)).toEqual([122])
  },
  60_000,
)
