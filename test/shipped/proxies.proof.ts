import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, type Dispatcher, request } from 'undici'
import { describe, expect, test } from 'vitest'
import { TEST_CERTIFICATE } from '../../packages/tillbridge-adapter-smtp/test/certificate.ts'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { ROOT } from '../../tools/docker-context.ts'
import { PASSWORD } from '../console/visitor.ts'
import { eventually } from '../eventually.ts'
import { bytesOf, sale } from '../fixtures/payloads.ts'
import { createFolder, keptIn, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'

/* The examples of config/deploy, as they stand there but for their names, ports and files, before a real hub. */

interface Proxy {
  program: string
  /** The example changed to this machine. */
  config(example: string, place: Place): string
  args(file: string, place: Place): string[]
}

interface Place {
  folder: string
  port: number
  hub: number
}

const NGINX: Proxy = {
  program: '/usr/sbin/nginx',
  config: (example, { folder, port, hub }) => `
    worker_processes 1;
    pid ${folder}/nginx.pid;
    events {}
    http {
      client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi;
      scgi_temp_path ${folder}/scgi;
      ${example
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace('127.0.0.1:8080', `127.0.0.1:${hub}`)
        .replaceAll(/\/etc\/letsencrypt\/\S+\/(\w+\.pem)/g, `${folder}/$1`)
        .replaceAll('/var/log/nginx', folder)}
    }`,
  args: (file) => ['-c', file, '-e', `${file}.log`, '-g', 'daemon off;'],
}

const CADDY: Proxy = {
  program: '/usr/bin/caddy',
  config: (example, { folder, port, hub }) =>
    example
      .replace('\n{\n', `\n{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}/caddy\n`)
      .replace(
        '\npos.example.com {',
        `\nhttps://127.0.0.1:${port} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
      )
      .replace('127.0.0.1:8080', `127.0.0.1:${hub}`),
  args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
}

describe.each([
  ['nginx', 'nginx.conf', NGINX],
  ['Caddy', 'Caddyfile', CADDY],
] as const)('behind %s', (name, example, proxy) => {
  test.skipIf(!existsSync(proxy.program))(
    `When a hub stands behind the example of ${name}, then webhooks, refusals and live pages pass as they are, and strangers do not reach its pages`,
    async () => {
      await using hub = await startTestHub({ config: { server: { trustProxy: ['loopback'] } } })
      await using gate = await open(proxy, example, Number(new URL(hub.url).port))
      const webhook = `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`
      const json = { 'content-type': 'application/json' }

      for (let n = 0; n < 50; n += 1) {
        const body = Buffer.from(bytesOf(sale({ receiptNo: String(n) })))
        expect(await gate.ask('POST', webhook, { headers: json, body })).toMatchObject({ status: 202 })
      }
      expect(keptIn(hub)).toHaveLength(50)

      const large = await gate.ask('POST', webhook, { headers: json, body: Buffer.alloc(9_000_000, 0x20) })
      // The hub says it at once and hangs up: a proxy that still sends may hear only that.
      expect([413, 502]).toContain(large.status)
      // The hub itself says no, and to whom, whatever a sender claims to be.
      const forged = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' }
      expect(await gate.ask('POST', '/webhooks/SaleCreated?token=wrong', { headers: forged })).toMatchObject({
        status: 401,
      })
      await eventually(() => expect(JSON.stringify(hub.lines)).toContain('wrong-token'))
      expect(JSON.stringify(hub.lines)).not.toContain('203.0.113.7')

      await hub.admin('users', { name: 'kari', role: 'viewer', password: PASSWORD })
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      const body = Buffer.from(new URLSearchParams({ name: 'kari', password: PASSWORD }).toString())
      const { status, cookie } = await gate.ask('POST', '/console/sign-in', { headers: form, body })
      expect({ status, cookie }).toEqual({ status: 303, cookie: expect.stringMatching(/^__Host-.*Secure/) })
      const live = await gate.begin('/console/live/today', { cookie: cookie.split(';')[0] ?? '' })
      expect(live).toMatchObject({ status: 200, first: expect.stringContaining('event: ') })
      for (const path of ['/console', '/admin/status', '/metrics', '/admin']) {
        expect((await gate.ask('GET', path, { from: '127.0.0.2' })).status, path).toBe(403)
        expect((await gate.ask('GET', path)).status, path).not.toBe(403)
      }
      for (const path of [
        '/ADMIN/status',
        '/Console/',
        '/metricS',
        '/%61dmin/status',
        '//admin/status',
        '/x/../admin/status',
      ])
        expect((await gate.ask('GET', path, { from: '127.0.0.2' })).status, path).toBe(403)
      expect(await gate.ask('GET', '/health/ready', { from: '127.0.0.2' })).toMatchObject({ status: 200 })

      // Without a hub a proxy may log what it cannot pass on.
      await hub[Symbol.asyncDispose]()
      const inVain = await gate.ask('POST', webhook, { headers: { ...json, 'x-api-key': WEBHOOK_TOKEN } })
      expect(inVain).toMatchObject({ status: 502 })
      await gate[Symbol.asyncDispose]()
      expect(gate.written()).not.toContain(WEBHOOK_TOKEN)
    },
  )
})

interface Asked {
  headers?: Record<string, string>
  body?: Buffer
  /** The address of this machine that it comes from. */
  from?: string
}

async function open(proxy: Proxy, example: string, hub: number) {
  await using opened = new AsyncDisposableStack()
  const { path: folder } = opened.use(await createFolder())
  const place = { folder, hub, port: await freePort() }
  const file = join(folder, example)
  await mkdir(join(folder, 'caddy'))
  await writeFile(join(folder, 'fullchain.pem'), TEST_CERTIFICATE.cert)
  await writeFile(join(folder, 'privkey.pem'), TEST_CERTIFICATE.key)
  await writeFile(file, proxy.config(readFileSync(join(ROOT, 'config/deploy', example), 'utf8'), place))
  const child = spawn(proxy.program, proxy.args(file, place), { stdio: ['ignore', 'pipe', 'pipe'] })
  opened.defer(() => end(child))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      said += bytes
    })
  const agents = new Map<string, Agent>()
  opened.defer(async () => {
    for (const agent of agents.values()) await agent.destroy()
  })
  const through = (from: string): Dispatcher => {
    const agent = agents.get(from) ?? new Agent({ connect: { ca: TEST_CERTIFICATE.cert }, localAddress: from })
    agents.set(from, agent)
    return agent
  }
  const url = `https://127.0.0.1:${place.port}`

  async function ask(method: 'GET' | 'POST', path: string, { headers = {}, body, from = '127.0.0.1' }: Asked = {}) {
    const answer = await request(`${url}${path}`, { method, headers, body: body ?? null, dispatcher: through(from) })
    await answer.body.dump()
    const { 'content-type': type, 'set-cookie': cookie } = answer.headers
    return { status: answer.statusCode, type: String(type), cookie: String(cookie) }
  }

  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`It ended: ${said}`)
    expect((await ask('GET', '/health/live')).status).toBe(200)
  })
  const open = opened.move()
  return {
    ask,
    /** The first that an answer without end says. */
    async begin(path: string, headers: Record<string, string>) {
      const answer = await request(`${url}${path}`, { headers, dispatcher: through('127.0.0.1') })
      for await (const chunk of answer.body) return { status: answer.statusCode, first: String(chunk) }
      return { status: answer.statusCode, first: '' }
    },
    written: () => said,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function end(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.kill('SIGTERM')) await exit
}
