import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { tillbridge } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'
import { migratedSchema, NO_SERVER, SERVER } from '../storage/postgres/schema.ts'
import { type Sections, startWritten, writtenConfig } from './written.ts'

const TOKENS = {
  FIRST: 'first-token-of-the-tests',
  SECOND: 'second-token-of-the-tests',
  THIRD: 'third-token-of-the-tests',
}

/** A hub that publishes sales, with these tokens of the platform. */
function publishing(url: string, tokens: string, more: Sections = {}): Sections {
  return {
    webhooks: `tokens: [${tokens}]`,
    destinations: `bus:\n  adapter: http\n  url: ${url}\n  publish: all\n  queue: { concurrency: 2 }`,
    ...more,
  }
}

async function post(url: string, token: string, receiptNo: string): Promise<number> {
  const { statusCode, body } = await request(`${url}/webhooks/SaleCreated?token=${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sale({ receiptNo })),
  })
  await body.dump()
  return statusCode
}

/** A sender that never stops, and four reloads: the token is rotated twice. */
async function reloadUnderLoad(storeUrl?: string): Promise<void> {
  await using sink = await startSink()
  const given = (tokens: string) =>
    publishing(sink.url, tokens, storeUrl === undefined ? {} : { store: `url: \${STORE_URL}` })
  await using config = await writtenConfig(given(`"\${FIRST}"`))
  await using hub = await startWritten({ ...config.env, ...TOKENS, STORE_URL: storeUrl ?? '' })
  const answers: number[] = []
  let isOver = false
  // The sender has the token of before until its own config is changed, too.
  let token = TOKENS.FIRST
  const turns = [0, 0, 0, 0]
  const senders = turns.map(async (_, sender) => {
    for (; !isOver; turns[sender] = Number(turns[sender]) + 1)
      answers.push(await post(hub.url, token, `${sender}-${turns[sender]}`))
  })
  const come = async (count: number) => {
    const before = [...turns]
    await eventually(() => turns.every((turn, sender) => turn >= Number(before[sender]) + count))
  }

  for (const tokens of [`"\${SECOND}", "\${FIRST}"`, `"\${SECOND}"`, `"\${THIRD}", "\${SECOND}"`, `"\${THIRD}"`]) {
    await come(3)
    await config.write(given(tokens))
    const { changed } = await hub.reload('the tests')
    expect(changed).toEqual(['platform.webhooks.tokens'])
    token = tokens.includes('THIRD') ? TOKENS.THIRD : TOKENS.SECOND
    // What was sent with the token of before has been answered.
    await come(2)
  }
  isOver = true
  await Promise.all(senders)

  expect(new Set(answers)).toEqual(new Set([202]))
  await sink.until(answers.length)
  await eventually(async () => expect((await hub.storage.pending()).every(({ open }) => open === 0)).toBe(true))
  expect(new Set(sink.received.map(({ id }) => id)).size).toBe(answers.length)
  expect(sink.received).toHaveLength(answers.length)
  expect(await post(hub.url, TOKENS.FIRST, 'late')).toBe(401)
}

describe('a hub that takes its config in again', () => {
  test('when webhooks come all the while, then each is taken, and each is delivered once', () => reloadUnderLoad())

  test.skipIf(!SERVER)(
    `when webhooks come all the while to a store on a server, then the same holds (${SERVER ? 'PostgreSQL' : NO_SERVER})`,
    async () => {
      await using schema = await migratedSchema()
      await reloadUnderLoad(schema.url)
    },
  )

  test('when calls are under way, then they end as they began, and the destination never has more than its queue allows', async () => {
    await using sink = await startSink()
    await using other = await startSink()
    await using config = await writtenConfig(publishing(sink.url, `"\${FIRST}"`))
    await using hub = await startWritten({ ...config.env, ...TOKENS })
    sink.play('hang')
    for (const receiptNo of ['1', '2', '3', '4']) await post(hub.url, TOKENS.FIRST, receiptNo)
    await sink.until(2)
    await config.write(publishing(other.url, `"\${FIRST}"`))
    expect((await hub.reload('the tests')).changed).toEqual(['destinations.bus.url'])

    // The two that hang take the queue's two places, whoever began them.
    expect(await post(hub.url, TOKENS.FIRST, '5')).toBe(202)
    expect(other.received).toEqual([])
    sink.letGo()
    await other.until(3)
    await eventually(async () => expect((await hub.storage.pending()).every(({ open }) => open === 0)).toBe(true))
    expect([sink.received.length, other.received.length]).toEqual([2, 3])
  })

  test('when a webhook is half sent, then it is taken though its token has gone meanwhile', async () => {
    await using config = await writtenConfig({ webhooks: `tokens: ["\${FIRST}"]` })
    await using hub = await startWritten({ ...config.env, ...TOKENS })
    const half = Promise.withResolvers<void>()
    const body = Readable.from(
      (async function* () {
        yield '{"receiptNo":'
        await half.promise
        yield '"1"}'
      })(),
    )
    const answer = request(`${hub.url}/webhooks/SaleCreated?token=${TOKENS.FIRST}`, { method: 'POST', body })
    const inFlightBytes = async () => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const status = await request(`${hub.url}/admin/status`, { headers })
      return ((await status.body.json()) as { requests: { inFlightBytes: number } }).requests.inFlightBytes
    }
    await eventually(async () => (await inFlightBytes()) > 0)
    await config.write({ webhooks: `tokens: ["\${SECOND}"]` })
    await hub.reload('the tests')
    half.resolve()
    expect((await answer).statusCode).toBe(202)
    expect(await post(hub.url, TOKENS.FIRST, '2')).toBe(401)
  })

  test('when the token is rotated, then the platform is given the new one, with one command and no restart', async () => {
    await using platform = await startPlatform({ apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' })
    const asked = `baseUrl: ${platform.url}\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`
    const server = `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}\npublicUrl: https://hub.example.com`
    const subscribing = (tokens: string): Sections => ({
      server,
      platform: asked,
      webhooks: `tokens: [${tokens}]\nkinds: [SaleCreated]`,
    })
    await using config = await writtenConfig(subscribing(`"\${FIRST}"`))
    await using hub = await startWritten({ ...config.env, ...TOKENS })
    const urls = () => platform.subscriptions().map(({ url }) => url)
    await eventually(() => expect(urls()).toEqual([expect.stringContaining(TOKENS.FIRST)]))
    await config.write(subscribing(`"\${SECOND}", "\${FIRST}"`))
    const ran = await tillbridge(['reload'], { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
    expect(ran).toEqual({ code: 0, out: 'Taken in: platform.webhooks.tokens.\n', err: '' })
    await eventually(() => expect(urls()).toEqual([expect.stringContaining(TOKENS.SECOND)]))
    expect(hub.lines).toContainEqual(
      expect.objectContaining({
        msg: 'config.reloaded',
        changed: ['platform.webhooks.tokens'],
        by: expect.any(String),
      }),
    )
  })

  test('when it cannot be, then nothing of it is taken in, and the answer says what is wrong, in the words of check', async () => {
    await using sink = await startSink()
    await using config = await writtenConfig()
    const wording = join(config.folder, 'words.yaml')
    await writeFile(wording, 'extends: en\n')
    const mail = `mail:\n  adapter: smtp\n  url: \${SMTP_URL}\n  from: a@example.com\n  wording: ${wording}`
    const right = publishing(sink.url, `"\${FIRST}"`)
    const withMail = { ...right, destinations: `${right.destinations}\n${mail}` }
    await config.write(withMail)
    const env = { ...config.env, ...TOKENS }
    await using hub = await startWritten(env)
    const asHub = { ...env, TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }

    // A file that the config names is read again, too.
    await writeFile(wording, 'extends: en\nlocal: no\n')
    const refused = await tillbridge(['reload'], asHub)
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(refused.err).toMatch(
      /destinations\.mail\.wording: found .*expected .*there is no `local`; did you mean `locale`\?/,
    )
    expect(refused.err).toContain((await tillbridge(['check'], env)).err.trim())

    await writeFile(wording, 'extends: en\n')
    await config.write({ ...withMail, webhooks: `tokens: ["\${SECOND}"]\nkinds: 3` })
    await expect(hub.reload('the tests')).rejects.toThrow(/platform\.webhooks\.kinds: found 3/)
    expect(await post(hub.url, TOKENS.SECOND, '1')).toBe(401)

    // What a hub holds on to takes a restart, and is not half taken in.
    const server = `host: 127.0.0.1\nport: 8099\nadminToken: \${ADMIN_TOKEN}`
    await config.write({
      ...withMail,
      server,
      store: 'url: file:/tmp/elsewhere.db',
      webhooks: `tokens: ["\${SECOND}"]`,
    })
    await expect(hub.reload('the tests')).rejects.toThrow(
      'server.port, store.url cannot change while the hub runs. Nothing was taken in: restart it, or take that change back and reload.',
    )
    expect(hub.lines.filter(({ msg }) => msg === 'config.not-reloaded')).toHaveLength(3)

    expect(await post(hub.url, TOKENS.FIRST, '2')).toBe(202)
    await sink.until(1)
    await config.write(withMail)
    const { changed } = await hub.reload('the tests')
    expect(changed).toEqual([])
  })

  test('when destinations, schedules and the level of the log change, then all of that is taken in, and what is doubtful said', async () => {
    await using sink = await startSink()
    await using config = await writtenConfig()
    await using hub = await startWritten({ ...config.env, ...TOKENS })
    expect(await post(hub.url, config.env.WEBHOOK_TOKEN ?? '', '1')).toBe(202)

    await config.write({
      ...publishing(sink.url, `"\${FIRST}"`, { more: 'jobs:\n  stores: "5 5 * * *"\nlog:\n  level: warn' }),
      lookups: `customers:\n  tokens: ["\${LOOKUP_TOKEN}"]\n  answer: "customers.{ 'id': extId }[]"`,
    })
    await hub.reload('the tests')
    await post(hub.url, TOKENS.FIRST, '2')
    await sink.until(1)
    const search = { headers: { authorization: `Bearer ${config.env.LOOKUP_TOKEN}` } }
    const found = await request(`${hub.url}/api/customers/search?query=kari@example.com`, search)
    expect([found.statusCode, await found.body.json()]).toEqual([200, []])

    await config.write({ destinations: `bus:\n  adapter: http\n  url: ${sink.url}\n  publish: [SalesCreated]` })
    const { changed, warnings } = await hub.reload('the tests')
    expect(changed.toSorted()).toEqual([
      'destinations.bus.publish',
      'destinations.bus.queue.concurrency',
      'jobs.stores',
      'log.level',
      'lookups.customers',
      'platform.webhooks.tokens',
    ])
    expect(warnings).toMatchObject([{ path: 'destinations.bus.publish[0]', found: '"SalesCreated"' }])
    expect((await request(`${hub.url}/api/customers/search?query=kari@example.com`, search)).statusCode).toBe(404)
  })
})
