import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { HUB_VALUES, SANDBOX_KEYS, SANDBOX_PORTS } from '../../sandbox/values.ts'
import { createFolder, startTestHub } from '../hub.ts'
import { asking, tillbridge } from './run.ts'

const execFileAsync = promisify(execFile)

test.each([[[]], [['--sandbox']]])(
  'When init writes a config (%j), then check finds it right, and nobody else can read the secrets',
  async (flags) => {
    await using folder = await createFolder()
    await within(folder.path, async () => {
      expect(await tillbridge(['init', ...flags])).toMatchObject({
        code: 0,
        out: expect.stringContaining('config/tillbridge.yaml'),
      })
      expect((await stat('.env')).mode & 0o777).toBe(0o600)
      const env = parseEnv(await readFile('.env', 'utf8')) as Record<string, string>
      expect(await tillbridge(['check'], env)).toMatchObject({ code: 0, err: '' })
      const before = await readFile('config/tillbridge.yaml', 'utf8')
      for (const value of Object.values(env)) expect(before).not.toContain(value)
      expect(await tillbridge(['init', ...flags])).toMatchObject({
        code: 2,
        err: expect.stringContaining('is there already'),
      })
      expect(await readFile('config/tillbridge.yaml', 'utf8')).toBe(before)
    })
  },
)

test('When a shell reads .env, then it has what Node reads of it, spaces too', async () => {
  await using folder = await createFolder()
  await within(folder.path, async () => {
    await tillbridge(['init', '--sandbox'])
    const { TEXTS_AUTHORIZATION, BUS_SECRET } = parseEnv(await readFile('.env', 'utf8'))
    expect(TEXTS_AUTHORIZATION).toBe(`Bearer ${SANDBOX_KEYS.TEXTS_KEY}`)
    expect(BUS_SECRET).toBe(SANDBOX_KEYS.BUS_SECRET)
    const shell = await execFileAsync('sh', ['-c', '. ./.env; printf %s "$TEXTS_AUTHORIZATION"'])
    expect(shell.stdout).toBe(TEXTS_AUTHORIZATION)
  })
})

test('the sandbox is where init says that it is, under the keys that init writes', async () => {
  await using sandbox = await startSandbox(SANDBOX_KEYS, { seedCatalogue: false })
  const written = parseEnv(await readFile(join(import.meta.dirname, '../../config/sandbox.env'), 'utf8'))
  const { TEXTS_KEY, ...keys } = SANDBOX_KEYS
  expect(written).toMatchObject({ ...HUB_VALUES, ...keys, TEXTS_AUTHORIZATION: `Bearer ${TEXTS_KEY}` })
  const { mailbox: _, ...ports } = SANDBOX_PORTS
  const places = Object.entries(sandbox.env).filter(([name]) => /_URL$|_PRESET$|^TRUST/.test(name) && name in written)
  for (const [name, value] of places)
    expect(written[name]?.replace(/:\d{4}/, ''), name).toBe(value.replace(/:\d{4,5}/, ''))
  expect(places.flatMap(([name]) => /:(\d{4})/.exec(written[name] ?? '')?.[1] ?? [])).toEqual(
    Object.values(ports).map(String),
  )
})

async function within(folder: string, does: () => Promise<void>): Promise<void> {
  const before = process.cwd()
  process.chdir(folder)
  try {
    await does()
  } finally {
    process.chdir(before)
  }
}

test('When a key is made, listed and revoked, then only its making shows it', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  expect(await run('keys', 'list')).toMatchObject({ code: 0, out: 'There are no keys.\n' })
  const made = await run('keys', 'create', 'erp', '--may', 'prices,products')
  expect(made.code).toBe(0)
  expect(made.out).toMatch(/^tb_[0-9a-f]{16}_[\w-]{43}\n$/)
  expect(made.err).toContain('erp may products, prices')
  const id = made.out.slice(3, 19)
  const secret = made.out.slice(20).trim()
  const json = JSON.parse((await run('keys', 'create', 'oms', '--may', 'orders', '--json')).out)
  expect(json).toMatchObject({ system: 'oms', scopes: ['orders'], key: expect.stringMatching(/^tb_/) })
  const revoked = await run('keys', 'revoke', id)
  expect(revoked.out).toMatch(new RegExp(`^${id} of erp is revoked since 20`))
  const listed = await run('keys', 'list')
  expect(listed.out).toMatch(new RegExp(`^${id} +erp +products,prices +20.* 20`, 'm'))
  const all = await run('keys', 'list', '--json')
  expect(JSON.parse(all.out).keys).toMatchObject([
    { id, system: 'erp' },
    { system: 'oms', revokedAt: null },
  ])
  expect(revoked.out + listed.out + all.out + JSON.stringify(hub.lines)).not.toContain(secret)
})

test('When a scope is unknown, a name is bad, or there is no such key, then the command says so with code 2', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  const unknown = await run('keys', 'create', 'erp', '--may', 'everything')
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('there is no scope "everything"')])
  const named = await run('keys', 'create', 'platform', '--may', 'sales')
  expect([named.code, named.err]).toEqual([2, expect.stringContaining('"platform" is the name')])
  const none = await run('keys', 'revoke', 'none')
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('no key of that id')])
})
