import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/admin/data-subjects.ts'
import { NOTICE_KEYS } from '../../../../src/domain/privacy/notice.ts'
import type { FoundPerson } from '../../../../src/privacy/report.ts'
import type { DeliveryDetail } from '../../../../src/storage/rows.ts'
import { asking } from '../../../cli/run.ts'
import { createTestClock } from '../../../clock.ts'
import { onlyIn } from '../../../dialect.ts'
import { eventually } from '../../../eventually.ts'
import { customer } from '../../../fixtures/payloads.ts'
import { keptIn, startTestHub, type TestHub } from '../../../hub.ts'
import { startSink } from '../../../sink.ts'
import { NO_SERVER, rowsOf, SERVER, temporarySchema } from '../../../storage/postgres/schema.ts'
import { openStorage } from '../../days/open-store.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES as CANARIES_OF_ZEB, erase, testOnPostgres, ZEB } from '../zeb.ts'

const DAY = 24 * 3_600_000
const TUVA = {
  store: '101',
  firstName: 'Tuvalina',
  lastName: 'Kanarivold',
  email: 'tuvalina@canary.example.com',
  phone: '41 23 45 67',
}
const CANARIES = ['Tuvalina', 'Kanarivold', 'tuvalina@canary']

/** The keys of notices that the hub has still. */
async function keysIn({ hub }: TestHub): Promise<string[]> {
  const { rows } = await hub.storage.personalPage({ place: 'links', containing: [NOTICE_KEYS.id], after: 0 })
  return rows.map(({ values }) => String(values[3]).split('/')[1] ?? '')
}

async function runJob(hub: TestHub, name: string): Promise<void> {
  await hub.admin(`jobs/${name}/run`, {})
}

async function noticesOf(hub: TestHub, { notices }: ErasedPerson): Promise<DeliveryDetail[]> {
  return await Promise.all(
    notices.map(async ({ delivery }) => (await hub.admin<DeliveryDetail>(`deliveries/${delivery}`)).body),
  )
}

onlyIn(['facts', 'frontsystems-v2'], 'it reads what the platform told in its own words, which spec does not show')(
  'When a person is erased, then the platform and the shop are told once, and the hub does not know any more of whom',
  async () => {
    await using storage = await openStorage({ seedCatalogue: false })
    const { hub, shop, platform } = storage
    platform.actions.createCustomer(TUVA)
    await storage.quiet()
    expect(shop.customers()).toMatchObject([{ email: TUVA.email }])
    const order = await shop.placeOrder({
      lines: [{ sku: 'TEE-BLK-M', quantity: 1 }],
      ...{ firstName: 'Tuvalina', lastName: 'Kanarivold', email: TUVA.email },
    })
    await shop.setStatus(order.id, 'completed')
    await storage.quiet()
    expect(await shownOrder()).toContain('Kanarivold')

    const erased = (await erase(hub, TUVA.email, { skipOpen: true })).body
    expect(erased.notices.map(({ destination }) => destination).sort()).toEqual(['platform', 'shop'])
    expect(erased.proof?.secondPass.found).toBe(0)
    expect(bytesWith(hub, CANARIES)).toEqual([])
    const keys = await keysIn(hub)
    await storage.quiet()
    const notices = await noticesOf(hub, erased)
    expect(notices.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['delivered', 1],
      ['delivered', 1],
    ])
    expect(notices.map(({ destination, attempts }) => [destination, attempts[0]?.note]).sort()).toEqual([
      ['platform', '1 customer deleted, 0 not there (any more)'],
      ['shop', '1 account deleted, 1 order without a name'],
    ])
    expect(shop.customers()).toEqual([])
    expect(await shownOrder()).not.toMatch(/tuvalina|kanarivold/i)
    expect(JSON.stringify(notices)).not.toMatch(/tuvalina|kanarivold/i)

    // What is not in the index yet nobody finds.
    await hub.admin('people/find', { who: 'nobody@example.com' })
    await runJob(hub, 'notices')
    await eventually(async () => expect(await keysIn(hub)).toEqual([]))
    expect(bytesWith(hub, [...CANARIES, ...keys])).toEqual([])
    expect(String(keptIn(hub).find(({ kind }) => kind === 'PersonErased')?.body)).toContain('sealed')

    /** As the shop's own API shows it. */
    async function shownOrder(): Promise<string> {
      const key = Buffer.from('ck_shop_0123:cs_shop_0123').toString('base64')
      const path = `${storage.env.SHOP_URL}/wp-json/wc/v3/orders/${order.id}`
      return await (await request(path, { headers: { authorization: `Basic ${key}` } })).body.text()
    }
  },
)

test('When a system is down, then what it must know is kept sealed until it takes it, and a dry run and --no-tell tell nobody', async () => {
  const clock = createTestClock()
  await using crm = await startSink()
  const rest = { adapter: 'rest', url: new URL(crm.url).origin, customers: ERASES }
  await using hub = await aHubThatKnowsZeb({ clock, destinations: { crm: rest } })
  const run = asking(hub)
  const found = (await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body
  expect(found.notified.map(({ destination, byHub }) => [destination, byHub])).toEqual([
    ['bus', false],
    ['crm', true],
    ['platform', false],
  ])
  expect((await run('people', 'erase', ZEB.email, '--dry-run')).out).toContain(
    'To be notified when they are erased: crm.',
  )
  expect(await keysIn(hub)).toEqual([])

  crm.play(() => ({ status: 503 }))
  const { out } = await run('people', 'erase', ZEB.email, '--reason', 'asked')
  expect(out).toMatch(/Notified to erase them: crm \(delivery \d+, \w+\)/)
  expect(out).toMatch(/ask them to erase: bus \(\d+ deliveries\), platform \(it sent data\)/)
  expect(bytesWith(hub)).toEqual([])
  await crm.until(1)
  await runJob(hub, 'notices')
  const keys = await keysIn(hub)
  expect(keys).toHaveLength(1)

  crm.play(() => ({ status: 204 }))
  await eventually(async () => {
    clock.advance(60_000)
    const { body } = await hub.admin<{ deliveries: { state: string }[] }>('deliveries?flow=erase-person')
    expect(body.deliveries).toMatchObject([{ state: 'delivered' }])
  })
  const notified = JSON.parse((await crm.until(2)).at(-1)?.body ?? '')
  expect(notified).toMatchObject({ pseudonym: expect.stringMatching(/^erased-/), emails: [ZEB.email.toLowerCase()] })
  await runJob(hub, 'notices')
  await eventually(async () => expect(await keysIn(hub)).toEqual([]))
  expect(bytesWith(hub, keys)).toEqual([])
})

onlyIn(['facts', 'frontsystems-v2'], 'it reads what the platform told in its own words, which spec does not show')(
  'When systems know a person by an address, then a system that the hub tells shows it to nobody, and one that it cannot tell to whoever has to',
  async () => {
    await using systems = await startSink()
    const upsert = { path: '/customers', body: '{}', link: 'customer.email' }
    const rest = (more: object) => ({
      adapter: 'rest',
      url: new URL(systems.url).origin,
      customers: { upsert, ...more },
    })
    await using hub = await aHubThatKnowsZeb({ destinations: { crm: rest(ERASES), club: rest({}) } })
    await eventually(async () => {
      const { body } = await hub.admin<ErasedPerson>('people/erase', { who: ZEB.email, dryRun: true })
      for (const name of ['club', 'crm'])
        expect(body.notified.find(({ destination }) => destination === name)?.theirIds).toHaveLength(1)
    })
    const { notified } = (await erase(hub)).body
    const shown = notified.map(({ destination, theirIds }) => [destination, theirIds])
    expect(shown.filter(([destination]) => destination === 'crm' || destination === 'club')).toEqual([
      ['club', ['zebedaeus@canary.example.com']],
      ['crm', ['z…@canary.example.com']],
    ])
  },
)

test('When a destination takes its notice in no way for a month, then the key goes all the same, and a retry says so', async () => {
  const clock = createTestClock()
  await using crm = await startSink()
  crm.play(() => ({ status: 400 }))
  const rest = { adapter: 'rest', url: new URL(crm.url).origin, customers: ERASES }
  await using hub = await aHubThatKnowsZeb({ clock, destinations: { crm: rest } })
  const erased = (await erase(hub)).body
  const [notice] = erased.notices
  await eventually(async () => expect(await noticesOf(hub, erased)).toMatchObject([{ state: 'dead' }]))
  await hub.admin('people/find', { who: 'nobody@example.com' })
  await runJob(hub, 'notices')
  expect(await keysIn(hub)).toHaveLength(1)

  clock.advance(31 * DAY)
  await runJob(hub, 'notices')
  await eventually(async () => expect(await keysIn(hub)).toEqual([]))
  await asking(hub)('deliveries', 'retry', String(notice?.delivery), '--reason', 'once more')
  await eventually(async () =>
    expect(await noticesOf(hub, erased)).toMatchObject([{ state: 'dead', code: 'notice-over' }]),
  )
})

test.skipIf(SERVER === undefined)(
  `When it is so on PostgreSQL (${SERVER ? 'there' : NO_SERVER}), then no row says who it was, and the key goes, too`,
  async () => {
    const clock = createTestClock()
    await using schema = await temporarySchema()
    await using crm = await startSink()
    const rest = { adapter: 'rest', url: new URL(crm.url).origin, customers: ERASES }
    const store = { url: schema.url }
    await using hub = await aHubThatKnowsZeb({ clock, destinations: { crm: rest }, store })
    // Beside transactions of others on the server, the index may come later.
    const erased = await eventually(async () => {
      const { status, body } = await erase(hub)
      return status === 200 && body
    })
    expect(erased.proof?.secondPass.found).toBe(0)
    const keys = await keysIn(hub)
    expect(keys).toHaveLength(1)
    expect(JSON.parse((await crm.until(1))[0]?.body ?? '')).toMatchObject({ emails: [ZEB.email.toLowerCase()] })
    await eventually(async () => expect(await noticesOf(hub, erased)).toMatchObject([{ state: 'delivered' }]))
    await eventually(async () => {
      await hub.admin('people/find', { who: 'nobody@example.com' })
      await runJob(hub, 'notices')
      expect(await keysIn(hub)).toEqual([])
    })
    const rows = await rowsOf(schema.name)
    expect(rows).toContain('erase-person')
    expect([...CANARIES_OF_ZEB, ...keys].filter((text) => rows.includes(text))).toEqual([])
  },
)

const ERASES = { erase: { path: '/erase', body: 'erased' } }

const IDS = { customerId: 1007, customerExtId: 'shop:17' }
const MIRRORED = { key: 'M-1', place: '101', article: null, day: '2026-11-20', part: null, version: 0, tie: 0 }

/** What is left in a store when payloads have gone: only names of events, and rows of the mirror. */
const REMAINS: Record<string, (hub: TestHub) => Promise<void>> = {
  'the name of an event': async (hub) => {
    await hub.post('CustomerUpdated', customer({ ...ZEB, ...IDS }), { eventId: 'Z-9' })
    // The index has it, or else the erasure would wait for it.
    await eventually(async () => {
      const found = await hub.admin<FoundPerson>('people/find', { who: String(IDS.customerId) })
      expect(found.body.events).toBe(1)
    })
    await hub.hub.storage.dropPayloads({ kind: 'CustomerUpdated', upTo: Number.MAX_SAFE_INTEGER, except: [] })
  },
  "a sale by the platform's id": (hub) => saved(hub, { customerId: '1007', customer: { firstName: ZEB.firstName } }),
  'a sale by an id of an own system': (hub) => saved(hub, { customerId: null, customer: { number: 'shop:17' } }),
  'a sale by a number': (hub) => saved(hub, { customerId: null, customer: { phone: '+4741239876' } }),
  'a comment with an address': (hub) => saved(hub, { comment: `for ${ZEB.email}, soon` }, 'goods-deliveries'),
}

async function saved({ hub }: TestHub, body: Record<string, unknown>, set: 'sales' | 'goods-deliveries' = 'sales') {
  await hub.storage.saveMirror([{ type: 'put', row: { ...MIRRORED, set, body } }], Date.now())
}

/** Forgets somebody, brings in what a backup has of them whose payloads have gone, and repeats it by the proof; what is left. */
async function leftAfter(remains: string, store?: { url: string }): Promise<string> {
  await using hub = await startTestHub({ config: { mirror: 'all', ...(store && { store }) } })
  await hub.post('CustomerCreated', customer({ ...ZEB, ...IDS }), { eventId: 'Z-1' })
  const erased = await settled(hub, 'people/erase', { who: ZEB.email })
  await REMAINS[remains]?.(hub)
  // Of others there is more than one page.
  const others = Array.from({ length: 450 }, (_, index) => ({ ...MIRRORED, key: `O-${index}` }))
  const body = { customerId: '10070', customer: { email: 'kari@example.com', number: 'shop:170' } }
  await hub.hub.storage.saveMirror(
    others.map((row) => ({ type: 'put', row: { ...row, day: '2026-11-01', set: 'sales', body } })),
    Date.now(),
  )

  const again = await settled(hub, 'people/repeat', { proof: erased.proof })
  expect(again.proof?.pseudonym).toBe(erased.proof?.pseudonym)
  const events = (await hub.hub.storage.events({ limit: 10 })).map(({ entity, identity }) => ({ entity, identity }))
  const sales = await hub.hub.storage.mirrorPage({ set: 'sales' }, null, 1_000)
  expect(sales.filter((row) => JSON.stringify(row.body) === JSON.stringify(body))).toHaveLength(others.length)
  const deliveries = await hub.hub.storage.mirrorPage({ set: 'goods-deliveries' }, null, 10)
  return JSON.stringify([events, sales.filter(({ key }) => key === MIRRORED.key), deliveries])
}

/** Beside transactions of others on a server, the index may come later. */
async function settled(hub: TestHub, path: string, asked: object): Promise<ErasedPerson> {
  return await eventually(async () => {
    const { status, body } = await hub.admin<ErasedPerson>(path, { ...asked, reason: 'asked', skipOpen: true })
    expect({ status, body }).toMatchObject({ status: 200 })
    return body
  }, 10_000)
}

const OF_ZEB = /1007\b|shop:17\b|shop%3A17\b|Zeb|41239876/i

describe.each(Object.keys(REMAINS))('a restored backup that has of somebody only %s', (remains) => {
  test('When the proof repeats the erasure there, then nothing of them is left', async () => {
    expect(await leftAfter(remains)).not.toMatch(OF_ZEB)
  })

  testOnPostgres('Nothing is left', async (store) => {
    expect(await leftAfter(remains, store)).not.toMatch(OF_ZEB)
  })
})
