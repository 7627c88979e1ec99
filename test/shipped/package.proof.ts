import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../docs/docker-context.ts'
import { ADMIN_TOKEN, createFolder, startTestHub } from '../hub.ts'

const run = promisify(execFile)

test('When it is packed and installed as a package, then it is the command line of any hub, and no hub itself', async () => {
  await using folder = await createFolder()
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder.path], { cwd: ROOT })
  const [{ filename, files }] = JSON.parse(stdout)
  const secret = /(^|\/)(\.env|tillbridge\.yaml|data\/)/
  expect(files.map(({ path }: { path: string }) => path).filter((path: string) => secret.test(path))).toEqual([])

  const desk = join(folder.path, 'desk')
  await mkdir(desk)
  await writeFile(join(desk, 'package.json'), '{ "private": true }')
  await run('npm', ['install', '--omit=dev', '--ignore-scripts', '--prefer-offline', join('..', filename)], {
    cwd: desk,
  })
  await using hub = await startTestHub()
  const tillbridge = (...args: string[]) =>
    run(join(desk, 'node_modules/.bin/tillbridge'), args, {
      cwd: desk,
      env: { PATH: process.env.PATH, TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN, NO_COLOR: '1' },
    })

  expect((await tillbridge('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const status = await tillbridge('status', '--json')
  expect([JSON.parse(status.stdout).destinations, status.stderr]).toEqual([[], ''])
  await expect(tillbridge('start')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('from a checkout'),
  })
})
