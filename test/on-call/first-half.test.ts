import { request } from 'undici'
import { expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { startMailbox } from '../../sandbox/mailbox/mailbox.ts'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { startShop } from '../../sandbox/shop/shop.ts'
import { flows } from '../../src/flows/index.ts'
import { ORDER_MESSAGES } from '../../src/ports/ports.ts'
import { startWritten, writtenConfig } from '../app/written.ts'
import { asking, tillbridge } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { openTestStore } from '../empty-store.ts'
import { eventually } from '../eventually.ts'
import { orderUpdate, receipt, sale } from '../fixtures/payloads.ts'
import { KEYS, openCounter, order } from '../http/submissions/given.ts'
import { ADMIN_TOKEN, allDelivered, busTo, createFolder, keptIn, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import {
  flowOf,
  HOUR,
  middle,
  movement,
  SECOND,
  saleNo,
  through,
  untilAll,
  untilDelivery,
  untilOutage,
} from '../queue/kit/kit.ts'
import { createShop } from '../queue/kit/shop.ts'
import { startSink } from '../sink.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../small-disk.ts'

/** So long nobody touches what was on the wire. */
const LEASE = 40 * SECOND

const refund = flowOf('refund', { atMostOnce: true, whenInDoubt: 'hold' })

/**
 * A hub that was killed, and is started again: it had begun a refund that must happen once (delivery 1), and to mail a receipt
 * (delivery 2), and knows of neither how it ended.
 */
async function startKilled(recipient: string) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createFolder())
  const mailbox = opened.use(await startMailbox())
  const clock = createTestClock()
  const given = {
    destinations: {
      bank: through(createShop().port),
      mail: { adapter: 'smtp', url: mailbox.smtpUrl, from: 'Shop <no-reply@example.com>' },
    },
    flows: [...flows, refund],
    folder: folder.path,
    clock,
    random: middle,
  }
  const queues = ['bank', 'mail'].map((destination) => ({ destination, urgency: 'prompt' as const }))
  {
    await using hub = await startTestHub(given)
    for (const { destination } of queues) await hub.admin(`destinations/${destination}/pause`, {})
    await hub.post('SaleCreated', sale())
    await hub.post('OmniChannelSendReceiptCreated', receipt({ recipient }))
  }
  {
    // A process that gets as far as the intent, and no further.
    const options = { sameBytesWindow: HOUR, clock: clock.now, onOpening: () => {} }
    await using storage = await openTestStore(`${folder.path}/tillbridge.db`, options)
    const room = { calls: 10, yielding: 10, bytes: 1_000_000, batch: { items: 10, bytes: 1_000_000, linger: 0 } }
    for (const queue of queues) {
      await storage.resume(queue)
      await storage.claim(queue, room, LEASE)
    }
  }
  const hub = opened.use(await startTestHub(given))
  const all = opened.move()
  return { hub, mailbox, clock, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/* Questions 1 to 8 of docs/on-call.md: each is answered by what its commands say, and by nothing else. */

const MB = 1024 * 1024
const OLA = 'ola@example.com'

test('When the shop is down, then status says since when, what it answers and how much waits, and probe that it is back', async () => {
  await using shop = await startSink()
  const clock = createTestClock()
  await using hub = await startTestHub({ destinations: { shop: busTo(shop.url) }, clock, random: middle })
  const run = asking(hub)
  // However slow the machine is: no second try comes in between.
  await clock.active(async () => {
    await shop.refuse()
    for (const no of [1, 2, 3]) await hub.post('SaleCreated', saleNo(no))
    await untilOutage(hub, 1, 'shop')

    const status = await run('status')
    expect(status.code).toBe(0)
    expect(status.out).toMatch(/^Nothing needs a person\.\nnote {5}destination shop: Down: it cannot be reached/)
    expect(status.out).toMatch(
      /ECONNREFUSED.* For \d+ s\. Next try .*\. To do: tillbridge probe shop tries it now\. .*Nothing is lost meanwhile\.$/m,
    )
    expect(status.out).toMatch(/^shop +prompt +3 /m)

    await shop.open()
    const probe = await run('probe', 'shop')
    expect(probe).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^shop is back\. What waits for it goes out\.$/m),
    })
  })
  clock.advance(10 * SECOND)
  await untilAll(hub, 'delivered', 3)
})

test('When a key is wrong, then check says whether the new one works, and reload has the hub take it', async () => {
  const key = { consumerKey: 'ck_of_the_tests', consumerSecret: 'cs_of_the_tests' }
  await using shop = await startShop({ ...key, products: [{ name: 'Socks', sku: 'SOCKS-GRY', price: '149.90' }] })
  const destinations = `shop:\n  adapter: woocommerce\n  url: ${shop.url}\n  consumerKey: \${SHOP_KEY}\n  consumerSecret: \${SHOP_SECRET}`
  await using config = await writtenConfig({ destinations })
  const clock = createTestClock()
  const env = { ...config.env, SHOP_KEY: key.consumerKey, SHOP_SECRET: 'cs_of_last_year' }
  await using hub = await startWritten(env, { clock, random: middle })
  const run = (...args: string[]) =>
    tillbridge(args, { ...env, TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  const { number } = await shop.placeOrder({ lines: [{ sku: 'SOCKS-GRY', quantity: 1 }] })
  const { body } = await request(`${hub.url}/webhooks/OmniChannelOrderUpdated?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(orderUpdate({ orderNo: number, status: 'Picked' })),
  })
  await body.dump()
  await eventually(() => hub.lines.some(({ msg }) => msg === 'delivery.attempted'))

  const old = await run('check', '--online')
  expect(old.code).toBe(1)
  expect(old.out).toMatch(
    /^problem +destinations +shop, credentials: It refuses our key or password, .*401 Unauthorized.*\. To do: renew it there/m,
  )
  expect(old.out).not.toContain('cs_of_last_year')
  env.SHOP_SECRET = key.consumerSecret
  const checked = await run('check', '--online')
  expect(checked.code).toBe(0)
  expect(checked.out).toMatch(/^ok +destinations +shop, credentials: It knows our key\.$/m)

  const reloaded = await run('reload')
  expect(reloaded).toMatchObject({ code: 0, out: 'Taken in: destinations.shop.consumerSecret.\n' })
  clock.advance(60 * SECOND)
  await eventually(async () => expect(await hub.storage.deliveries({})).toMatchObject([{ state: 'delivered' }]))
})

test('When one event fails again and again, then its delivery shows each answer, and skipped it is in nobody’s way', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  sink.play(({ body }) => ({ status: body.includes('666') ? 500 : 200 }))
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) }, clock, random: middle })
  const run = asking(hub)
  await hub.post('StockMovementCreated', movement(666, 'poison'))
  await hub.post('StockMovementCreated', movement(2, 'poison'))
  await hub.post('StockMovementCreated', movement(3, 'other'))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  await untilDelivery(hub, 3, ({ state }) => state === 'delivered')
  clock.advance(6 * SECOND)
  await untilDelivery(hub, 1, ({ tries }) => tries === 2)

  const shown = await run('deliveries', 'show', '1')
  expect(shown.code).toBe(0)
  expect(shown.out).toMatch(
    /^ +1 +1 +StockMovementCreated +publish +bus +waiting +2 .* again 20\S+ \S+: .*answered 500/m,
  )
  expect(shown.out.match(/ retry +http-500 .*answered 500 Internal Server Error/g)).toHaveLength(2)

  const skipped = await run('deliveries', 'skip', '1', '--reason', 'test order')
  expect(skipped.code).toBe(0)
  expect(skipped.out).toMatch(/^skip: 1 of 1 delivery \(audit entry 1\)\.\n[\s\S]* skipped .*test order$/m)
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
})

test.skipIf(noSmallDisk !== null)(
  `When the disk is full, then status says so and what to do, and a job fetches what was refused meanwhile${whyNoDisk}`,
  async () => {
    await using disk = mountSmallDisk(18 * MB)
    await using platform = await startPlatform(KEYS)
    const port = await freePort()
    await using hub = await startTestHub({
      folder: disk.path,
      config: {
        platform: { baseUrl: platform.url, ...KEYS },
        server: { port, publicUrl: `http://127.0.0.1:${port}` },
        webhooks: { kinds: ['SaleCreated'] },
      },
    })
    const run = asking(hub)
    await eventually(() => platform.subscriptions().length === 1)
    await disk.ballast(18 * MB)
    // The last corner of the disk is filled by what people buy.
    const status = await eventually(async () => {
      platform.pos.sell({ store: '101', lines: [{ sku: 'TEE-BLK-M' }] })
      await platform.settled()
      expect(platform.failed()).toBeGreaterThan(0)
      const { code, out } = await run('status')
      // Within its first second it has lasted for nothing yet.
      expect(out).toMatch(/^problem {2}store: .* For \d+ s\./m)
      return { code, out }
    })
    expect(status.code).toBe(1)
    expect(status.out).toMatch(
      /^problem {2}store: The store cannot write: no room left for .*Every webhook is refused \(503\).* For \d+ s\. To do: .*make room.*The hub goes on by itself/m,
    )

    await disk.ballast(null)
    const job = await run('jobs', 'run', 'resend-failed')
    // The hub may have been quicker: it looks by itself whether there is room. What has not come within the run comes after it.
    expect(job.code).toBe(0)
    expect(job.out).toMatch(
      /^resend-failed: 1 subscription: \d+ sent again(, \d+ already received)?(, \d+ still failing)?$|^resend-failed: .*(nothing failed|\d+ already received)$/m,
    )
    const sold = platform.events().map(({ webhookEventId }) => webhookEventId)
    await eventually(() =>
      expect(
        keptIn(hub)
          .map(({ transportKey }) => transportKey)
          .sort(),
      ).toEqual(sold.toSorted()),
    )
  },
)

test('When the hub was killed during a refund and a mail, then status names what only a person can decide, the list why, and the delivery that its mail may be the second', async () => {
  await using killed = await startKilled(OLA)
  const { hub, clock } = killed
  const run = asking(hub)
  const before = await run('deliveries', 'list')
  expect(before.out).toMatch(/ refund +bank +waiting .*a try was cut off, and may have got through; goes on 20\d\d-/m)
  clock.advance(LEASE)
  await untilDelivery(hub, 1, ({ state }) => state === 'held')
  await eventually(() => expect(killed.mailbox.mails()).toHaveLength(1))

  const status = await run('status')
  expect(status.code).toBe(1)
  expect(status.out).toMatch(
    /^problem {2}queue bank prompt: 1 delivery is held: only a person can decide, .* To do: tillbridge deliveries list --state held --destination bank/,
  )
  const held = await run('deliveries', 'list', '--state', 'held')
  expect(held.out.trim().split('\n')).toHaveLength(2)
  expect(held.out).toMatch(
    /^ +1 .* refund +bank +held .*uncertain: an earlier try may have had its effect, and nobody/m,
  )

  // "I got two mails."
  const found = await run('find', OLA)
  expect(found.out).toMatch(/^ +2 .*OmniChannelSendReceiptCreated +routed /m)
  expect(found.out).toMatch(/^ +2 +2 +OmniChannelSendReceiptCreated +email-receipt +mail +delivered /m)
  const sent = await run('deliveries', 'show', '2')
  expect(sent.out).toMatch(/delivered .*maybe for the second time: an earlier try was cut off before its answer$/m)
})

test('When nothing has come for hours, then the newest event says since when, and doctor whether the platform still sends to us', async () => {
  await using platform = await startPlatform(KEYS)
  await using config = await writtenConfig({
    server: `host: 127.0.0.1\nport: 0\npublicUrl: https://hub.example.com\nadminToken: \${ADMIN_TOKEN}`,
    platform: `baseUrl: ${platform.url}\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`,
    webhooks: `tokens: ["\${WEBHOOK_TOKEN}"]\nkinds: all`,
  })
  await using hub = await startWritten(config.env)
  const here = { ...config.env, TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  await eventually(() => platform.subscriptions().length === platform.kinds().length)
  const { body } = await request(`${hub.url}/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sale()),
  })
  await body.dump()

  const events = await tillbridge(['events', 'list', '--kind', 'SaleCreated', '--limit', '1'], here)
  expect(events).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ +1 +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d +SaleCreated /m),
  })
  const night = await tillbridge(['doctor'], here)
  expect(night.out).toMatch(/^ok +credentials +It accepts both keys\.$/m)
  expect(night.out).toMatch(/^ok +subscriptions +27 subscriptions at the platform; 27 of them to this hub\.$/m)

  // Somebody changed the token here, and the platform goes on with the one of before.
  const deaf = await tillbridge(['doctor'], { ...here, WEBHOOK_TOKEN: 'webhook-token-of-today' })
  expect(deaf.code).toBe(1)
  expect(deaf.out).toMatch(
    /^problem +subscriptions .*With a token that the hub does not accept: .*SaleCreated.* To do: /m,
  )

  // From a machine without the config, nobody can tell that, and it says where to ask.
  const far = await tillbridge(['doctor'], { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  expect(far.out).toMatch(/^ok +destinations +platform, credentials: It is reached, knows both keys/m)
  expect(far.out).toMatch(/^unknown +config +There is none on this machine.* To do: run doctor where the hub runs/m)
})

test('When somebody asks for an order, or got two mails, then order tells its story, and find what was sent because of what', async () => {
  await using mailbox = await startMailbox()
  await using counter = await openCounter({
    config: { platform: { trustWebhooks: true } },
    destinations: {
      mail: {
        adapter: 'smtp',
        url: mailbox.smtpUrl,
        from: 'Shop <no-reply@example.com>',
        messages: [...ORDER_MESSAGES],
      },
    },
  })
  const { hub } = counter
  const run = asking(hub)
  await counter.submit('orders', order('1042', { customer: { email: OLA, firstName: 'Ola', phone: null } }))
  await allDelivered(hub, 1)
  const orderLines = [{ quantity: 1, gtin: '7040000010017', rowId: null, status: 'Picked' }]
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: '1042', orderLines }))
  await eventually(() => expect(mailbox.mails()).toHaveLength(1))
  await allDelivered(hub, 2)

  const story = await run('order', '1042')
  expect(story.code).toBe(0)
  expect(story.out).toMatch(/^order 1042 is \d+ at platform$/m)
  expect(story.out).toMatch(
    / submission +1 +OrderSubmitted by erp [\s\S]* attempt +1 +submit-order to platform: delivered/,
  )
  expect(story.out).toMatch(
    / event +2 +OmniChannelOrderUpdated: Picked[\s\S]* message +2 +email-ready to mail: delivered/,
  )
  const whose = await run('find', OLA)
  expect(whose.out).toMatch(/^Orders: 1042 \("tillbridge order <number>" shows all of one\)$/m)

  // Staff sends the receipt, and once more when the customer says that it did not come.
  for (const eventId of ['first', 'second'])
    await hub.post('OmniChannelSendReceiptCreated', receipt({ recipient: OLA }), { eventId })
  await eventually(() => expect(mailbox.mails()).toHaveLength(3))
  await allDelivered(hub, 4)
  const sent = await run('find', OLA)
  expect(sent.out.match(/ OmniChannelSendReceiptCreated +routed /g)).toHaveLength(2)
  expect(sent.out).toMatch(
    /^ +4 +4 .* email-receipt +mail +delivered [\s\S]*^ +3 +3 .* email-receipt +mail +delivered /m,
  )
  const [one, two] = [await run('deliveries', 'show', '3'), await run('deliveries', 'show', '4')]
  for (const shown of [one, two]) {
    expect(shown.out).toMatch(/^To: o…@example\.com$/m)
    expect(shown.out).not.toContain('second time')
  }
})
