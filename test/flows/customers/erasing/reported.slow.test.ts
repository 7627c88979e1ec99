import { request } from 'undici'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/admin/data-subjects.ts'
import { NOTICE_KEYS } from '../../../../src/domain/privacy/notice.ts'
import type { FoundPerson } from '../../../../src/privacy/report.ts'
import type { DeliveryDetail } from '../../../../src/storage/rows.ts'
import { asking } from '../../../cli/run.ts'
import { createTestClock } from '../../../clock.ts'
import { onlyIn } from '../../../dialect.ts'
import { eventually } from '../../../eventually.ts'
import { keptIn, type TestHub } from '../../../hub.ts'
import { startSink } from '../../../sink.ts'
import { NO_SERVER, rowsOf, SERVER, temporarySchema } from '../../../storage/postgres/schema.ts'
import { openStorage } from '../../days/open-store.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES as CANARIES_OF_ZEB, erase, ZEB } from '../zeb.ts'

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
