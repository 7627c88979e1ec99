import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tillbridgeProcess } from '../cli/run.ts'
import { ROOT } from '../docs/docker-context.ts'
import { createFolder } from '../hub.ts'
import { oldNode } from '../old-node.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

test('When npm has installed, then npx finds the command, and it is the program of this checkout', async () => {
  await using folder = await createFolder()
  for (const name of ['bin', 'tools/link-command.mjs', 'tools/compile-cache.mjs', 'package.json'])
    cpSync(join(ROOT, name), join(folder.path, name), { recursive: true })
  execFileSync(process.execPath, [join(folder.path, 'tools/link-command.mjs')])
  const linked = readFileSync(join(folder.path, 'node_modules/.bin/tillbridge'), 'utf8')
  expect(linked).toBe(readFileSync(join(ROOT, 'bin/tillbridge.mjs'), 'utf8'))
  expect(await tillbridgeProcess(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test.skipIf(oldNode() === null)(
  'When an old Node runs it, then it goes on in the one that the project brought, or says how to get it',
  async () => {
    await using folder = await createFolder()
    for (const name of ['bin', 'tools/require-node.mjs', 'tools/compile-cache.mjs', 'package.json'])
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
