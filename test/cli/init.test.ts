import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { parseEnv, promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { SANDBOX_KEYS as KEYS_OF_SANDBOX, HUB_VALUES as SANDBOX_HUB, SANDBOX_PORTS } from '../../sandbox/values.ts'
import { HUB_VALUES, SANDBOX_KEYS, SANDBOX_PLACES } from '../../src/cli/config/init.ts'
import { createFolder } from '../hub.ts'
import { tillbridge } from './run.ts'

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

test('When the sandbox is started, then it is where init says that it is', async () => {
  await using sandbox = await startSandbox(SANDBOX_KEYS, { seedCatalogue: false })
  const wanted = Object.entries(SANDBOX_PLACES).map(([name, value]) => [name, value.replace(/:\d{4}/, '')])
  const found = Object.entries(sandbox.env).map(([name, value]) => [name, value.replace(/:\d{4,5}/, '')])
  expect(found).toEqual(expect.arrayContaining(wanted))
  expect([HUB_VALUES, SANDBOX_KEYS]).toEqual([SANDBOX_HUB, KEYS_OF_SANDBOX])
  const { mailbox: _, ...ports } = SANDBOX_PORTS
  expect(Object.values(SANDBOX_PLACES).flatMap((value) => /:(\d{4})/.exec(value)?.[1] ?? [])).toEqual(
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
