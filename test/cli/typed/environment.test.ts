import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ADMIN_TOKEN, createFolder, startTestHub } from '../../hub.ts'
import { programEnv } from '../../program-env.ts'

const BIN = fileURLToPath(new URL('../../../bin/tillbridge.mjs', import.meta.url))
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
