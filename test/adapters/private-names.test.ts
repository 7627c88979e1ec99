import { expect, test } from 'vitest'
import { availableAdapters, loadAdapter } from '../../src/adapters/index.ts'
import { messageOf } from '../../src/domain/values/errors.ts'
import { listen } from '../lib/http-server.ts'
import { everyNameIsPrivate } from '../private-names.ts'

/** The least that each adapter takes, of a system at this port. */
const OPTIONS: Record<string, (port: number) => Record<string, unknown>> = {
  files: (port) => ({
    sftp: { host: 'erp.internal', port, user: 'hub', password: 'secret-word', hostKey: 'any', folder: 'in' },
    write: { sale: {} },
  }),
  http: (port) => ({ url: `http://erp.internal:${port}` }),
  rest: (port) => ({
    url: `http://erp.internal:${port}`,
    orders: { create: { path: '/orders', body: '{ "no": number }' } },
  }),
  'sms-http': (port) => ({ url: `http://erp.internal:${port}`, body: { to: '{{to}}', text: '{{text}}' } }),
  smtp: (port) => ({ url: `smtp://erp.internal:${port}`, from: 'shop@example.com' }),
  sql: (port) => ({ url: `postgres://hub:secret-word@erp.internal:${port}/bi` }),
  vendure: (port) => ({
    url: `http://erp.internal:${port}/admin-api`,
    apiKey: 'a-long-key-of-the-tests',
    channelToken: 'a-channel-of-the-tests',
  }),
  woocommerce: (port) => ({
    url: `http://erp.internal:${port}`,
    consumerKey: 'ck_of-the-tests',
    consumerSecret: 'cs_of-the-tests',
  }),
}

/** What a health check of a system at a name of a private network finds; the connections that it made. */
async function checked(name: string, allowPrivate: boolean): Promise<{ found: string; connections: number }> {
  using _ = everyNameIsPrivate()
  await using server = await listen(
    () => {},
    (socket) => socket.end(),
  )
  const adapter = await loadAdapter(name, process.cwd())
  const options = adapter.options.parse(OPTIONS[name]?.(server.port))
  await using instance = adapter.create(options, { destination: 'erp', timeout: 2_000, concurrency: 1, allowPrivate })
  const question = { signal: AbortSignal.timeout(5_000) }
  const found = await instance.healthCheck?.(question).then(
    (findings) => JSON.stringify(findings),
    (error: unknown) => `${messageOf(error)} ${Object(error).code}`,
  )
  return { found: found ?? '', connections: server.connections.length }
}

test('Each adapter there is stands in this list', async () => {
  const names = (await availableAdapters(process.cwd())).map(({ name }) => name)
  expect(names.toSorted()).toEqual(Object.keys(OPTIONS).toSorted())
})

test.each(Object.keys(OPTIONS))(
  '%s connects to no private address that a name leads to, and says how it would',
  async (name) => {
    const { found, connections } = await checked(name, false)
    expect(found).toMatch(
      /erp\.internal leads to 127\.0\.0\.1, a private address; if it is meant, set allowPrivate: true/,
    )
    expect(found).toMatch(/address-refused/)
    expect(connections).toBe(0)
  },
)

test.each(Object.keys(OPTIONS))('%s connects there where config allows it', async (name) => {
  const { found, connections } = await checked(name, true)
  expect(found).not.toMatch(/allowPrivate/)
  expect(connections).toBeGreaterThan(0)
})
