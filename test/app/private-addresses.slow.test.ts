import { request } from 'undici'
import { expect, test } from 'vitest'
import { asking, tillbridge, tillbridgeProcess } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { WEBHOOK_TOKEN } from '../hub.ts'
import { answer, listen } from '../lib/http-server.ts'
import { everyNameIsPrivate } from '../private-names.ts'
import { startSink } from '../sink.ts'
import { startWritten, writtenConfig } from './written.ts'

const SAYS = /bus leads to 127\.0\.0\.1, a private address; if it is meant, set allowPrivate: true for it in config/

test('A destination whose name leads to a private address gets nothing before config allows it, and everything then', async () => {
  using _ = everyNameIsPrivate()
  await using sink = await startSink()
  const bus = `bus:\n  adapter: http\n  url: http://bus:${new URL(sink.url).port}\n  publish: all`
  await using config = await writtenConfig({ destinations: bus })
  expect((await tillbridge(['check', '--online'], config.env)).out).toMatch(SAYS)

  await using hub = await startWritten(config.env)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(sale({ receiptNo: '1' }))
  const taken = await request(`${hub.url}/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers,
    body,
  })
  expect(taken.statusCode).toBe(202)
  const ask = asking(hub)
  await eventually(async () => expect((await ask('deliveries', 'show', '1')).out).toMatch(SAYS))
  expect((await ask('deliveries', 'show', '1')).out).toMatch(/waiting +0 /)
  await eventually(async () => expect((await ask('status')).out).toMatch(/allowPrivate: true/))
  expect(sink.received).toEqual([])

  await config.write({ destinations: `${bus}\n  allowPrivate: true` })
  expect((await ask('reload')).out).toContain('destinations.bus.allowPrivate')
  await sink.until(1)
})

test('A proxy that the environment names is asked by no process of the hub', async () => {
  await using sink = await startSink()
  await using proxy = await listen((socket) => socket.write(answer(200)))
  const environment = Object.fromEntries(
    ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [name, proxy.origin]),
  )
  await using config = await writtenConfig({ destinations: `bus: { adapter: http, url: "${sink.url}", publish: all }` })
  const env = { ...config.env, ...environment, NODE_USE_ENV_PROXY: '1' }
  const { out } = await tillbridgeProcess(['check', '--online'], env)
  expect(out).toMatch(/bus.*reached/)
  expect(sink.received).toHaveLength(1)
  expect(proxy.connections).toEqual([])
})

test('The platform and an archive whose names lead to private addresses are asked where config allows it alone', async () => {
  using _ = everyNameIsPrivate()
  await using peer = await listen(
    () => {},
    (socket) => socket.end(),
  )
  const written = (allowPrivate: boolean) => ({
    platform: `baseUrl: http://pos:${peer.port}\nallowPrivate: ${allowPrivate}\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}`,
    more: `retention:\n  archive:\n    allowPrivate: ${allowPrivate}\n    sftp: { host: backup, port: ${peer.port}, user: hub, password: "\${SHOP_PASSWORD}", hostKey: any, folder: in }`,
  })
  await using config = await writtenConfig(written(false))
  await using hub = await startWritten(config.env)
  const diagnosed = async () => (await asking(hub, config.env)('doctor')).out
  const refused = await diagnosed()
  for (const name of ['pos', 'backup'])
    expect(refused).toMatch(new RegExp(`${name} leads to 127\\.0\\.0\\.1, a private address; .*allowPrivate: true`))
  expect(peer.connections).toEqual([])

  await config.write(written(true))
  await hub.reload('the tests')
  expect(await diagnosed()).not.toMatch(/^problem .*allowPrivate/m)
  expect(peer.connections.length).toBeGreaterThan(1)
})
