import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import type { HealthItem } from '../../src/domain/health/health.ts'
import { ROOT } from '../../tools/docker-context.ts'
import { tillbridge, tillbridgeProcess } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, createFolder, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { oldNode } from '../old-node.ts'
import { addressOf, configured, type Program, startProgram, statusOf, writeConfig } from './program.ts'

describe('a start that cannot be', () => {
  test('when there is no config, then one line says what to type or set, and the exit code is 2', async () => {
    await using folder = await createFolder()
    await using byDefault = startProgram({}, { cwd: folder.path })
    await using byName = startProgram({ TILLBRIDGE_CONFIG: '/nowhere/hub.yaml' }, { cwd: folder.path })

    expect([await byDefault.ended(), await byName.ended()]).toEqual([2, 2])

    expect(byDefault.err()).toMatch(/^There is no config at config\/tillbridge\.yaml: .*tillbridge init\)\n$/)
    expect(byDefault.err()).toContain('TILLBRIDGE_CONFIG')
    expect(byName.err()).toMatch(/^There is no config at \/nowhere\/hub\.yaml: .*\n$/)
    expect(byDefault.out()).toBe('')
  })

  test('when a config has three mistakes, then each is named with its path and line, and no secret is', async () => {
    await using folder = await createFolder()
    const path = await writeConfig(
      folder.path,
      `server:
  adminToken: \${ADMIN_TOKEN}
  prot: 8080
platform:
  webhooks:
    tokens: ["\${WEBHOOK_TOKEN}"]
    sameBytesWindow: soon
destinations:
  bus:
    adapter: http
    url: not a url
`,
    )
    await using program = startProgram({ TILLBRIDGE_CONFIG: path, ADMIN_TOKEN, WEBHOOK_TOKEN })

    expect(await program.ended()).toBe(2)

    expect(program.err().trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^.*tillbridge\.yaml:3 server\.prot: found an unknown key, expected .*did you mean "port"\?$/,
      ),
      expect.stringMatching(/^.*tillbridge\.yaml:7 platform\.webhooks\.sameBytesWindow: found "soon", expected /),
      expect.stringMatching(/^.*tillbridge\.yaml:11 destinations\.bus\.url: found "not a url", expected /),
    ])
    expect(program.err()).not.toContain(ADMIN_TOKEN)
    expect(existsSync(join(folder.path, 'data'))).toBe(false)
  })

  test('when another program has the port, then one line says so, and the process ends', async () => {
    await using folder = await createFolder()
    await using hub = await startTestHub()
    const { port } = new URL(hub.url)
    await using program = startProgram(await configured(folder.path, { port }))

    expect(await program.ended()).toBe(2)

    expect(program.err()).toBe(
      `cannot listen on 127.0.0.1, port ${port} (server.host, server.port): another program listens there already\n`,
    )
  })

  test('when a skipped flow is misnamed, then one line says so, and check says the same', async () => {
    await using folder = await createFolder()
    const bus = 'bus: { adapter: http, url: "http://127.0.0.1:9", publish: all, skip: [publsh] }'
    const env = await configured(folder.path, { destinations: bus })
    await using program = startProgram(env)

    expect(await program.ended()).toBe(2)

    expect(program.err()).toMatch(
      /^.*tillbridge\.yaml:4 destinations\.bus\.skip\[0\]: found "publsh", expected a flow: one of .*; did you mean "publish"\?\n$/,
    )
    expect(await tillbridge(['check'], env)).toEqual({ code: 2, out: '', err: program.err() })
    expect(existsSync(join(folder.path, 'tillbridge.db'))).toBe(false)
  })
})

describe('a process that runs', () => {
  test('when it gets SIGTERM, then it ends at once, cleanly, with code 0', async () => {
    await using folder = await createFolder()
    await using program = startProgram(await configured(folder.path))
    const url = await addressOf(program)
    expect(await statusOf(`${url}/health/ready`)).toBe(200)
    const { statusCode } = await request(`${url}/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`, {
      method: 'POST',
      body: JSON.stringify(sale()),
    })
    expect(statusCode).toBe(202)

    await expectToEnd(program, url, 'SIGTERM', folder.path)
  })

  test('when it gets SIGHUP, then it takes its config in again and goes on, and says what is wrong with one that cannot be; SIGINT ends it as SIGTERM does', async () => {
    await using folder = await createFolder()
    const env = await configured(folder.path)
    await using program = startProgram({ ...env, NEXT_TOKEN: 'the-next-token-of-the-tests' })
    const url = await addressOf(program)
    const path = join(folder.path, 'tillbridge.yaml')
    const before = await readFile(path, 'utf8')
    const said = (msg: string) => eventually(() => program.lines().find((line) => line.msg === msg) ?? false)
    const post = async (token: string) => {
      const { statusCode, body } = await request(`${url}/webhooks/SaleCreated?token=${token}`, {
        method: 'POST',
        body: JSON.stringify(sale()),
      })
      await body.dump()
      return statusCode
    }

    await writeFile(path, before.replace('{}', '{ bus: { adapter: htpp } }'))
    program.child.kill('SIGHUP')
    expect(await said('config.not-reloaded')).toMatchObject({
      level: 50,
      problem: expect.stringMatching(/:4 destinations\.bus\.adapter: found "htpp"/),
    })
    expect(await post(WEBHOOK_TOKEN)).toBe(202)

    await writeFile(path, before.replace('{WEBHOOK_TOKEN}', '{NEXT_TOKEN}'))
    program.child.kill('SIGHUP')
    expect(await said('config.reloaded')).toMatchObject({ by: 'SIGHUP', changed: ['platform.webhooks.tokens'] })
    expect([await post(WEBHOOK_TOKEN), await post('the-next-token-of-the-tests')]).toEqual([401, 200])

    // A question of a person opens the file once more.
    const asked = await request(`${url}/admin/events`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
    expect((await asked.body.json()) as object).toHaveProperty('events')
    await expectToEnd(program, url, 'SIGINT', folder.path)
  })
})

/** It ends by this signal, at once, and cleanly: nothing is left in the log of its file. */
async function expectToEnd(program: Program, url: string, signal: NodeJS.Signals, folder: string): Promise<void> {
  const asked = performance.now()
  program.child.kill(signal)
  await eventually(() => refuses(url))
  // As npm does, which passes on what the terminal has sent to all.
  program.child.kill(signal)

  expect(await program.ended()).toBe(0)
  // Sooner than its patience with what is under way: nothing is.
  expect(performance.now() - asked).toBeLessThan(7_500)
  expect(program.lines().at(-1)).toMatchObject({ msg: 'hub.stopped' })
  expect(program.err()).toBe('')
  const wal = join(folder, 'tillbridge.db-wal')
  expect(existsSync(wal) ? await readFile(wal) : Buffer.alloc(0)).toHaveLength(0)
}

async function refuses(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

/** Writing to it says that the disk has no room. */
const FULL = '/dev/full'

test.skipIf(!existsSync(FULL))(
  'When the disk that the log goes to is full, then the hub takes what comes all the same, health says so, and it stops in order',
  async () => {
    await using folder = await createFolder()
    const port = String(await freePort())
    await using program = startProgram(await configured(folder.path, { port }), { stdout: openSync(FULL, 'w') })
    const url = `http://127.0.0.1:${port}`
    const send = () =>
      request(`${url}/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`, { method: 'POST', body: JSON.stringify(sale()) })
    await eventually(async () => expect((await send()).statusCode).toBeLessThan(300))

    const items = async () => {
      const { body } = await request(`${url}/admin/health`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
      return ((await body.json()) as { items: HealthItem[] }).items
    }
    await eventually(async () =>
      expect(await items()).toContainEqual(
        expect.objectContaining({ area: 'log', state: 'problem', means: expect.stringContaining('ENOSPC') }),
      ),
    )
    expect((await send()).statusCode).toBe(200)

    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
    expect(program.err()).toBe('')
  },
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const { version, bin, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  bin: Record<string, string>
  devDependencies: Record<string, string>
}

test('When npm has installed, then npx finds the command, and it is the program of this checkout', async () => {
  await using folder = await createFolder()
  cpSync(join(ROOT, 'bin'), join(folder.path, 'bin'), { recursive: true })
  const { tillbridge } = devDependencies
  await writeFile(
    join(folder.path, 'package.json'),
    JSON.stringify({ name: 'tillbridge', version, bin, devDependencies: { tillbridge } }),
  )
  execFileSync('npm', ['install', '--offline'], { cwd: folder.path, stdio: 'pipe' })
  const linked = readFileSync(join(folder.path, 'node_modules/.bin/tillbridge'), 'utf8')
  expect(linked).toBe(readFileSync(join(ROOT, 'bin/tillbridge.mjs'), 'utf8'))
  expect(await tillbridgeProcess(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test.skipIf(oldNode() === null)(
  'When an old Node runs it, then it goes on in the one that the project brought, or says how to get it',
  async () => {
    await using folder = await createFolder()
    for (const name of [
      'bin',
      'tools/require-node.mjs',
      'tools/needed-node.mjs',
      'tools/compile-cache.mjs',
      'package.json',
    ])
      cpSync(join(ROOT, name), join(folder.path, name), { recursive: true })
    for (const name of ['src', 'node_modules']) symlinkSync(join(ROOT, name), join(folder.path, name))
    const run = () =>
      execFileSync(oldNode() ?? '', [join(folder.path, 'bin/tillbridge.mjs'), '--version'], { stdio: 'pipe' })
    expect(run).toThrow(expect.objectContaining({ status: 2, stderr: expect.anything() }))

    const brought = join(folder.path, `tools/node24/node_modules/node-${process.platform}-${process.arch}/bin`)
    mkdirSync(brought, { recursive: true })
    symlinkSync(process.execPath, join(brought, 'node'))
    expect(run().toString()).toBe(`${version}\n`)
  },
)

test('When whoever reads has had enough, as with head, then the command ends without a word, as programs do', async () => {
  const command = `"${process.execPath}" "${join(ROOT, 'bin/tillbridge.mjs')}" --help`
  // The reader is gone before anything is written.
  const { stdout, stderr } = spawnSync('bash', ['-c', `(sleep 0.1; ${command}; echo $? >&2) | true`], {
    encoding: 'utf8',
  })
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '141\n' })
})

test('When the disk has no room for what is printed, then the command says so in one line, and its end is neither good nor a problem found', () => {
  const command = `"${process.execPath}" "${join(ROOT, 'bin/tillbridge.mjs')}" --help`
  const { stderr, status } = spawnSync('bash', ['-c', `${command} > /dev/full`], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({
    status: 74,
    stderr: expect.stringMatching(/^What it prints cannot be written.*\n$/),
  })
})
