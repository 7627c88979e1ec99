import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { startMailbox } from '../../sandbox/mailbox/mailbox.ts'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { type Sections, startedWith, startWritten, writtenConfig } from '../app/written.ts'
import { asking } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { receipt, sale, stockMovement } from '../fixtures/payloads.ts'
import { openBooked } from '../flows/accounting/books-given.ts'
import { busTo, deliveriesOf, startTestHub } from '../hub.ts'
import { DAY } from '../jobs/kit.ts'
import { openPulled } from '../jobs/pulls/pull-kit.ts'
import { startSink } from '../sink.ts'

/* The stories 9 to 15 of docs/on-call.md: what goes wrong is made, then the commands that the page shows have to answer. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

test('When customers never got their receipts, then find says what became of each, and send-again sends it', async () => {
  await using mailbox = await startMailbox()
  const mail = { adapter: 'smtp', url: mailbox.smtpUrl, from: 'Shop <no-reply@example.com>' }
  await using hub = await startTestHub({ destinations: { mail } })
  const run = asking(hub)
  mailbox.refuse('ola@example.com', 'for-good')
  await hub.post('OmniChannelSendReceiptCreated', receipt({ recipient: 'kari@example.com' }))
  const his = { recipient: 'ola@example.com', sendReceipt: sale({ receiptNo: '1002' }) }
  await hub.post('OmniChannelSendReceiptCreated', receipt(his))
  await eventually(async () =>
    expect((await deliveriesOf(hub)).map(({ id, state }) => [id, state])).toEqual([
      [2, 'dead'],
      [1, 'delivered'],
    ]),
  )

  const hers = await run('find', 'kari@example.com')
  expect(hers.out).toMatch(/^ +1 +1 +OmniChannelSendReceiptCreated +email-receipt +mail +delivered /m)
  const sent = await run('send-again', '1', '--reason', 'customer asked')
  expect(sent).toMatchObject({ code: 0, out: expect.stringMatching(/^What delivery 1 sent goes to k…@example\.com/) })
  await eventually(() => expect(mailbox.mails().flatMap(({ to }) => to)).toEqual(Array(2).fill('kari@example.com')))

  const refused = await run('find', 'ola@example.com')
  expect(refused.out).toMatch(
    /^ +2 +2 .* email-receipt +mail +dead .* answered 550 5\.1\.1 to RCPT TO: .*no such mailbox/m,
  )
  mailbox.accept('ola@example.com')
  expect((await run('send-again', '2', '--reason', 'mailbox is there now')).code).toBe(0)
  await eventually(() => expect(mailbox.mails().at(-1)?.to).toEqual(['ola@example.com']))
  expect((await run('find', 'never-asked@example.com')).out).toBe('Nothing is found of never-asked@example.com.\n')
})

test('When the ERP has lost the files of some days, then a dry run counts them by day, and with a reason each record is written anew', async () => {
  await using storage = await openBooked()
  const { platform, clock, hub } = storage
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 2 })
  await storage.quiet()
  clock.advance(DAY)
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  platform.closeDay('101')
  await storage.quiet()
  const before = await storage.files()
  const [first, second] = (await storage.booked<{ day: string }>('sale')).map(({ day }) => day).sort()
  const again = ['files', 'again', '--destination', 'erp', '--from', first ?? '', '--to', second ?? '']
  const run = asking(hub)

  const dry = await run(...again, '--dry-run')
  expect(dry.code).toBe(0)
  expect(dry.out).toMatch(/^5 records would be written once more\. Nothing was changed\./)
  for (const [day, flow] of [
    [first, 'book-sale'],
    [second, 'book-sale'],
    [second, 'book-settlement'],
  ])
    expect(dry.out).toMatch(new RegExp(`^${day} +${flow} +1$`, 'm'))
  expect(await storage.files()).toEqual(before)

  const done = await run(...again, '--reason', 'their disk broke')
  expect([done.code, done.out]).toEqual([0, expect.stringMatching(/^5 records are written once more, into files of/)])
  await storage.quiet()
  const after = await storage.files()
  expect(after).toEqual(expect.arrayContaining(before))
  expect(after).toHaveLength(2 * before.length)
  for (const kind of ['sale', 'movement', 'settlement']) {
    const keys = (await storage.booked<{ key: string }>(kind)).map(({ key }) => key)
    expect(keys).toHaveLength(2 * new Set(keys).size)
  }
})

test('When settlements are missing, then they are listed by POS and day, and the job asks for days that are long over, too', async () => {
  await using the = await openPulled('2026-11-16T12:00:00Z')
  const { platform, clock } = the
  for (const store of ['101', '201']) platform.actions.sell({ store, sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(3 * DAY)
  expect(await the.run('settlements')).toMatch(/0 new$/)
  // The last time for that day has passed. One POS is settled now, and nobody is told; the other is not.
  the.lose(true)
  platform.closeDay('101')
  await the.quiet()
  the.lose(false)
  const run = asking(the.hub)
  const missing = () => run('settlements', 'missing', '--from', '2026-11-16', '--to', '2026-11-22')

  const listed = await missing()
  expect(listed.code).toBe(1)
  expect(listed.out).toMatch(/^2 sales and 0 settlements were looked at\./)
  for (const store of ['101', '201']) expect(listed.out).toMatch(new RegExp(`^2026-11-16 +${store} +\\d+ +1 `, 'm'))

  // It is of the day of its sales, and of the day on which it was made: without a parameter all of both are listed.
  const asked = await run('jobs', 'run', 'settlements')
  expect(asked).toEqual({ code: 0, out: 'settlements: 8 days: 2 settlements, 1 new\n', err: '' })
  await the.quiet()
  const left = await missing()
  expect([left.code, left.out]).toEqual([1, expect.stringMatching(/^2026-11-16 +201 /m)])
  expect(left.out).not.toMatch(/^2026-11-16 +101 /m)
})

test('When a token has leaked, then reload gives the platform a new one, and the list says when the old one may go', async () => {
  await using platform = await startPlatform(KEYS)
  const tokens = (...names: string[]): Sections => ({
    server: `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}\npublicUrl: https://hub.example.com`,
    platform: `baseUrl: ${platform.url}\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`,
    webhooks: `tokens: [${names.map((name) => `"\${${name}}"`).join(', ')}]\nkinds: [SaleCreated, POSSettlementCreated]`,
  })
  const secrets = { LEAKED: 'leaked-token-of-the-tests', NEW: 'new-token-of-the-tests' }
  await using config = await writtenConfig(tokens('LEAKED'))
  await using hub = await startWritten({ ...config.env, ...secrets })
  const run = asking(hub)
  const reported = (token: string) => platform.subscriptions().filter(({ url }) => url.includes(token)).length
  await eventually(() => expect(reported(secrets.LEAKED)).toBe(2))
  expect((await run('subscriptions', 'list')).out).toMatch(/Each of the 2 that send to this hub has the first token/)

  await config.write(tokens('NEW', 'LEAKED'))
  expect(await run('reload')).toEqual({ code: 0, out: 'Taken in: platform.webhooks.tokens.\n', err: '' })
  expect((await run('audit', 'list', '--action', 'reload')).out).toMatch(/ reload +1 .*"platform\.webhooks\.tokens"/)
  const list = await eventually(async () => {
    const listed = await run('subscriptions', 'list')
    expect(listed.out).toMatch(
      /^Each of the 2 that send to this hub has the first token of platform\.webhooks\.tokens/m,
    )
    return listed
  })
  expect([list.code, reported(secrets.NEW), reported(secrets.LEAKED)]).toEqual([0, 2, 0])
  for (const secret of Object.values(secrets)) expect(list.out).not.toContain(secret)

  expect(await post(hub, secrets.LEAKED, '1')).toBe(202)
  await config.write(tokens('NEW'))
  expect((await run('reload')).code).toBe(0)
  expect([await post(hub, secrets.LEAKED, '2'), await post(hub, secrets.NEW, '3')]).toEqual([401, 202])
})

test('When a new version is to go in, then backup takes what is there while the hub works, and status says that all is well with it afterwards', async () => {
  await using sink = await startSink()
  const bus = `bus:\n  adapter: http\n  url: ${sink.url}\n  publish: all`
  await using config = await writtenConfig({ destinations: bus })
  const copy = join(config.folder, 'before.db')
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const token = config.env.WEBHOOK_TOKEN ?? ''
  {
    await using hub = await startWritten(config.env)
    await post(hub, token, '1')
    await sink.until(1)
    await eventually(async () => expect((await hub.storage.deliveries({}))[0]?.state).toBe('delivered'))
    const saved = await asking(hub, config.env)('backup', copy)
    expect(saved).toEqual({ code: 0, out: expect.stringMatching(/before\.db holds everything up to now/), err: '' })
    expect(await post(hub, token, '2')).toBe(202)
  }
  {
    await using hub = await startWritten(config.env)
    const status = await asking(hub)('status')
    expect([status.code, status.out]).toEqual([
      0,
      expect.stringMatching(/^Nothing needs a person\.\n\n.*\nbus .* ok$/m),
    ])
    expect(status.out).toMatch(`This hub is Tillbridge ${version}.`)
  }
  // Going back: the copy in the store's place.
  await config.write({ destinations: bus, store: `url: file:${copy}` })
  await using hub = await startWritten(config.env)
  expect(await hub.storage.deliveries({})).toMatchObject([{ id: 1, state: 'delivered' }])
})

test('When somebody skipped a delivery, by a filter or by its number, then it says who, when and why, and the act what else it touched', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  sink.play({ status: 400 })
  for (const movementId of [1, 2, 3, 4]) await hub.post('StockMovementCreated', stockMovement({ movementId }))
  await eventually(async () =>
    expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(Array(4).fill('dead')),
  )
  const skip = (filter: object, reason: string, who: string) =>
    hub.admin('deliveries/skip', { filter, reason }, { 'x-operator': who })
  await skip({ id: 4 }, 'counted twice', 'Ola')
  await skip({ destination: 'bus', state: 'dead' }, 'test data', 'Kari')
  const run = asking(hub)

  const byNumber = await run('deliveries', 'show', '4')
  expect(byNumber.out).toMatch(/^ +4 +4 .* bus +skipped .* counted twice$/m)
  expect(byNumber.out).toMatch(
    /^ *\d+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d +admin \(says Ola\) +skip +counted twice$/m,
  )

  const shown = await run('deliveries', 'show', '2')
  const [, act = ''] = /^ *(\d+) +\d{4}-\S+ \S+ +admin \(says Kari\) +skip +test data +one of 3$/m.exec(shown.out) ?? []
  const touched = await run('audit', 'show', act)
  expect(touched.code).toBe(0)
  expect(touched.out).toMatch(/ admin \(says Kari\) +skip +3 +\{"destination":"bus","state":"dead"\} +test data$/m)
  expect([...touched.out.matchAll(/^ +(\d) +\d +StockMovementCreated .* skipped /gm)].map(([, id]) => id)).toEqual([
    '1',
    '2',
    '3',
  ])
})

test('When the config was changed and the hub does not start, then check says all that is wrong, and online what only the systems know', async () => {
  await using platform = await startPlatform(KEYS)
  const asked = (key: string) => `baseUrl: ${platform.url}\napiKey: \${${key}}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`
  await using config = await writtenConfig({ platform: asked('API_KEY') })
  await using hub = await startWritten(config.env)
  const run = asking(hub, config.env)
  await config.write({
    platform: asked('SHOP_PASSWORD'),
    webhooks: `tokens: ["\${NOT_SET}"]\nkinds: 3`,
    destinations: 'bus:\n  adapter: htp',
  })
  const refusal = await startedWith(config.env)

  const checked = await run('check')
  expect([checked.code, checked.err]).toEqual([2, `${refusal}\n`])
  expect(checked.err).toMatch(
    /tillbridge\.yaml:12 platform\.webhooks\.tokens\[0\]: found \$\{NOT_SET\}, expected the env/,
  )
  expect(checked.err).toMatch(/tillbridge\.yaml:13 platform\.webhooks\.kinds: found 3, expected /)
  expect(checked.err).toMatch(/tillbridge\.yaml:16 destinations\.bus\.adapter: found "htp", .* Did you mean "http"\?/)

  // A hub that runs is given none of it, and goes on.
  const refused = await run('reload')
  expect(refused).toEqual({ code: 2, out: '', err: `${refusal}\n` })
  expect(await run('status')).toMatchObject({ code: 0 })

  await config.write({ platform: asked('SHOP_PASSWORD') })
  const online = await run('check', '--online')
  expect([online.code, online.out]).toEqual([1, expect.stringMatching(/^problem +credentials .* 401 Unauthorized/m)])
})

/** A sale, as whoever knows a token sends it; gives the status of the answer. */
async function post({ url }: { url: string }, token: string, receiptNo: string): Promise<number> {
  const { statusCode, body } = await request(`${url}/webhooks/SaleCreated?token=${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sale({ receiptNo })),
  })
  await body.dump()
  return statusCode
}
