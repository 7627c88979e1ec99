import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { template } from '../../src/cli/push.ts'
import { OWN_VERSION } from '../../src/lib/own-version.ts'
import { type Sections, writtenConfig } from '../app/written.ts'
import { openDesk } from '../http/read-models/given.ts'
import { ADMIN_TOKEN, createFolder, startTestHub } from '../hub.ts'
import { listen } from '../listen.ts'
import { programEnv } from '../program-env.ts'
import { asking, tillbridge } from './run.ts'

const KEY = { TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN, TILLBRIDGE_KEY: 'tb_key' }

const CLIENTS = (file: string) => [['status'], ['health'], ['push', 'stock', file, '--retries', '0', '--dry-run']]

async function fileIn(folder: string): Promise<string> {
  const file = join(folder, 'stock.csv')
  await writeFile(file, await template('stock'))
  return file
}

test.each([
  '127.0.0.1:38080',
  'localhost:38080',
  'hub.example.com',
  'ftp://hub.example.com',
  'http://hub.example.com?a=b',
  'http://ola:secret-of-ola@hub.example.com',
  'http://',
])('When TILLBRIDGE_URL is %s, then every command says how to write it, and gives away nothing of it', async (url) => {
  await using folder = await createFolder()
  for (const args of CLIENTS(await fileIn(folder.path)))
    expect(await tillbridge(args, { ...KEY, TILLBRIDGE_URL: url }), args.join(' ')).toEqual({
      ...{ code: 2, out: '' },
      err: 'TILLBRIDGE_URL is no address of a hub: write it as https://hub.example.com, with its path where it has one, and without user, password or query.\n',
    })
  const { out } = await tillbridge(['doctor'], { ...KEY, TILLBRIDGE_URL: url })
  expect(out).toContain('TILLBRIDGE_URL is no address of a hub')
})

test('When a hub stands behind a path, then every command asks below it, and the root hears of no token', async () => {
  await using desk = await openDesk()
  await using proxy = await behindPath('/shops/hub', desk.hub.url)
  await using folder = await createFolder()
  const file = await fileIn(folder.path)
  for (const end of ['', '/', '//']) {
    const env = { ...KEY, TILLBRIDGE_KEY: desk.key, TILLBRIDGE_URL: `${proxy.url}/shops/hub${end}` }
    for (const args of [['status'], ['health']])
      expect(await tillbridge(args, env), args.join(' ')).toMatchObject({ code: 0 })
    await tillbridge(['push', 'stock', file, '--retries', '0', '--dry-run'], env)
  }
  expect(proxy.elsewhere).toEqual([])
  expect(new Set(proxy.below)).toEqual(new Set(['/admin/health', '/health/ready', '/v1/stock-adjustments']))
})

test.each(['::1', '::'])(
  'a hub that listens on an address of IPv6: When server.host is "%s", then the hub says where, and the commands find it',
  async (host) => {
    await using hub = await startTestHub({ config: { server: { host } } })
    const url = new URL(hub.url)
    expect(hub.url).toBe(`http://${host === '::1' ? '[::1]' : '127.0.0.1'}:${url.port}`)
    await using config = await writtenConfig({
      server: `host: "${host}"\nport: ${url.port}\nadminToken: \${ADMIN_TOKEN}`,
    })
    expect(await tillbridge(['status'], config.env)).toMatchObject({ code: 0, err: '' })
    expect(await tillbridge(['health'], config.env)).toMatchObject({ code: 0, out: `${hub.url} is ready.\n` })
  },
)

/** A proxy that hands on to a hub what is asked below a path, and answers the rest with a page. */
async function behindPath(path: string, hub: string) {
  const below: string[] = []
  const elsewhere: string[] = []
  const server = await listen((incoming, answer) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith(`${path}/`)) {
      elsewhere.push(url)
      answer.end('<!doctype html><title>Shops</title>')
      return
    }
    const rest = url.slice(path.length)
    below.push(rest.split('?')[0] ?? '')
    incoming.pipe(
      request(new URL(rest, hub), { method, headers }, (back) => {
        answer.writeHead(back.statusCode ?? 502, back.headers)
        back.pipe(answer)
      }).on('error', () => answer.destroy()),
    )
  })
  return { ...server, below, elsewhere }
}

test('When all but a few are named, as by --no-dismissed alone, then that is a verb on everything, and refused', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  for (const args of [
    ['reroute', '--no-dismissed'],
    ['events', 'dismiss', '--no-dismissed', '--reason', 'x'],
  ])
    expect(await run(...args), args.join(' ')).toMatchObject({ code: 2, err: expect.stringContaining('say which') })
})

const BIN = fileURLToPath(new URL('../../bin/tillbridge.mjs', import.meta.url))
const AS_USER = fileURLToPath(new URL('./as-user.mjs', import.meta.url))

function ran(args: string[], { cwd, url }: { cwd: string; url: string }) {
  const env = programEnv({ NO_COLOR: '1', TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, args, { cwd, env }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err }))
  })
}

test('When .env of the folder cannot be read, then that is said in a line, and what does not need it is done', async () => {
  await using hub = await startTestHub()
  await using folder = await createFolder()
  // Docker makes a folder of a file that it is to mount, and that is not there.
  await mkdir(join(folder.path, '.env'))
  const { code, out, err } = await ran([BIN, 'late'], { cwd: folder.path, url: hub.url })
  expect({ code, out }).toEqual({ code: 0, out: 'Nothing is late.\n' })
  expect(err).toBe('.env of this folder is left out: it is a folder.\n')
})

test('When whoever types has no name on the machine, as in a container, then the hub is asked all the same', async () => {
  await using hub = await startTestHub()
  await using folder = await createFolder()
  const paused = await ran(['--import', AS_USER, BIN, 'jobs', 'run', 'stores-that-are-none'], {
    cwd: folder.path,
    url: hub.url,
  })
  expect(paused).toMatchObject({ code: 2, err: expect.stringContaining('There is no job') })
  const { body } = await hub.admin<{ acts: { by: string }[] }>('audit')
  expect(body.acts).toMatchObject([{ by: 'admin (says uid-54321)' }])
})

const WHY = ['--reason', 'a test']

test('When what was typed is no name at all, then a command says so, and does not ask the hub for something else', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  const commands = [
    ['order'],
    ['probe'],
    ['pause'],
    ['jobs', 'history'],
    ['jobs', 'run'],
    ['kinds', 'show'],
    ['products', 'show'],
    ['keys', 'revoke'],
  ]
  for (const command of commands)
    for (const typed of ['..', '.'])
      expect([command, await run(...command, typed)]).toEqual([
        command,
        { code: 2, out: '', err: `"${typed}" names nothing here: type a number or a name.\n` },
      ])
  for (const [command, where] of [
    [['order', 'nope'], '"tillbridge find" looks for it'],
    [['probe', 'nope'], 'Destinations: '],
    [['jobs', 'run', 'nope'], 'Jobs: '],
    [['kinds', 'show', 'nope'], 'Kinds: '],
    [['events', 'show', '99'], '"tillbridge archive restore <id>"'],
    [['audit', 'show', '99'], '"tillbridge audit list"'],
    [['stock', 'approve', 'nope', ...WHY], '"tillbridge stock differences"'],
  ] as const)
    expect([command, await run(...command)]).toEqual([
      command,
      { code: 2, out: '', err: expect.stringContaining(where) },
    ])
})

/** Answers what a hub of another version answers, by path; whatever else it is asked for, it does not know. */
async function otherHub(answers: Record<string, object>) {
  const asked: string[] = []
  const server = await listen(({ url = '', method }, response) => {
    const [path = ''] = url.split('?')
    asked.push(path)
    const answer = answers[path] ?? {
      status: 404,
      code: 'not-found',
      title: 'Not found',
      detail: `There is no ${method} ${path} here.`,
    }
    response.writeHead(path in answers ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  return { ...server, asked }
}

test('When a hub does not know what a command asks, then it says that their versions differ, not what path is missing', async () => {
  await using older = await otherHub({})
  const { code, err } = await asking(older)('audit', 'list')
  expect(code).toBe(2)
  expect(err).toBe(
    `The hub at ${older.url} does not know GET /admin/audit, which this command (Tillbridge ${OWN_VERSION}) asks: it is of another version. Use the command of that version, or update the hub.\n`,
  )
})

const NOTHING_OPEN = 'No destinations are configured.'

test('when something else in the config is wrong, then commands reach the hub by what it says of the server; with an address and a token it is not read', async () => {
  await using hub = await startTestHub()
  const { port } = new URL(hub.url)
  const server = `host: 127.0.0.1\nport: ${port}\nadminToken: \${ADMIN_TOKEN}`
  await using config = await writtenConfig()
  const status = async (sections: Sections, env: Record<string, string> = {}) => {
    await config.write(sections)
    return await tillbridge(['status'], { ...config.env, ...env })
  }
  const well = { code: 0, err: '', out: expect.stringContaining(NOTHING_OPEN) }

  expect(await status({ server: `${server}\nprot: 1\nlimits: none`, destinations: 'bus: {}' })).toMatchObject(well)
  expect(await status({ server, webhooks: `tokens: ["\${NOT_SET}"]` })).toMatchObject(well)
  expect(await status({ server, more: 'jobs: [\n  half: "written' })).toMatchObject(well)

  // What they need is named where it cannot be read, and nothing else.
  const wrong = await status({ server: server.replace(port, 'nix'), destinations: 'bus: {}' })
  expect(wrong).toMatchObject({ code: 2, out: '' })
  expect(wrong.err).toBe(`${config.path}:3 server.port: found "nix", expected a number\n`)
  const unset = await status({ server: server.replace('ADMIN_TOKEN', 'NOT_SET'), destinations: 'bus: {}' })
  expect(unset.err).toBe(
    `${config.path}:4 server.adminToken: found \${NOT_SET}, expected the environment variable NOT_SET to be set\n`,
  )
  const halved = await status({ server: 'port: "80' })
  expect(halved).toMatchObject({ code: 2, err: expect.stringMatching(/found text that is not YAML/) })

  const named = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  expect(await status({ server: 'port: "80' }, named)).toMatchObject(well)
  expect(await tillbridge(['status'], { ...named, TILLBRIDGE_CONFIG: '/nowhere/tillbridge.yaml' })).toMatchObject(well)
})

test('When a hub takes an act and says nothing before it ends, then nobody is told that none is there', async () => {
  const dying = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
  await once(dying, 'listening')
  const url = `http://127.0.0.1:${(dying.address() as AddressInfo).port}`
  const { code, err } = await tillbridge(['deliveries', 'skip', '7', '--reason', 'x'], {
    TILLBRIDGE_URL: url,
    TILLBRIDGE_ADMIN_TOKEN: 'x',
  })
  dying.close()
  expect(code).toBe(2)
  expect(err).toMatch(
    /^http.* did not answer to its end \(.+\)\. It may be done all the same: tillbridge audit list\.\n$/,
  )
})
