import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockOut } from '../../../src/store/sqlite/file/connection.ts'
import { ROOT } from '../../docs/docker-context.ts'
import { eventually } from '../../eventually.ts'
import { type WrittenConfig, writtenConfig } from '../../hub/written.ts'
import { programEnv } from '../../program-env.ts'
import { interrupted } from '../interrupt.ts'
import { tillbridge } from '../run.ts'

/* A rehearsal that does not come to its end: nothing of it stays behind and works on. */

/** A day that takes hours. */
const LONG = ['rehearse', '--made', 'stores=2,sales=500', '--speed', '1']

function foldersIn({ folder }: WrittenConfig): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('tillbridge-rehearsal-'))
}

/** The log of the second hub says that it works. */
function hasStarted(config: WrittenConfig): boolean {
  const [name] = foldersIn(config)
  if (name === undefined || !readdirSync(join(config.folder, name)).includes('hub.log')) return false
  return readFileSync(join(config.folder, name, 'hub.log'), 'utf8').includes('hub.started')
}

test('When a rehearsal is stopped by Ctrl-C, then it says so, ends with 130, and its files are gone', async () => {
  await using config = await writtenConfig()

  const run = () => tillbridge([...LONG, '--in', config.folder], config.env)
  const ended = await interrupted(run, () => hasStarted(config))

  expect(ended.code).toBe(130)
  expect(ended.err).toContain('Stopped. The second hub has ended, and its files are gone.')
  expect(foldersIn(config)).toEqual([])
})

test('When a rehearsal is killed, then its hub does not work on by itself', async () => {
  await using config = await writtenConfig()
  const args = [join(ROOT, 'bin/tillbridge.mjs'), ...LONG, '--in', config.folder]
  const child = spawn(process.execPath, args, { env: programEnv(config.env), stdio: 'ignore' })
  const exit = once(child, 'exit')
  await eventually(() => hasStarted(config))
  const file = join(config.folder, foldersIn(config)[0] ?? '', 'rehearsal.db')
  expect(() => lockOut(file)).toThrow(/locked/)

  child.kill('SIGKILL')
  await exit

  const lock = await eventually(() => lockOut(file))
  lock.close()
})

test('When the second hub ends by itself, then the rehearsal ends at once, and says so', async () => {
  await using config = await writtenConfig()
  const args = [join(ROOT, 'bin/tillbridge.mjs'), ...LONG, '--in', config.folder]
  const child = spawn(process.execPath, args, { env: programEnv(config.env), stdio: ['ignore', 'ignore', 'pipe'] })
  let err = ''
  child.stderr.on('data', (bytes) => {
    err += bytes
  })
  const exit = once(child, 'close')
  await eventually(() => hasStarted(config))
  const [hub] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').map(Number)

  process.kill(hub ?? 0, 'SIGKILL')

  expect(await exit).toEqual([1, null])
  expect(err).toContain('The rehearsed hub ended by itself (SIGKILL)')
  expect(foldersIn(config)).toEqual([])
})
