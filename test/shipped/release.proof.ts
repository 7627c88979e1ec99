import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../tools/docker-context.ts'
import { createFolder } from '../hub.ts'

interface Bom {
  components: { name: string; licenses?: unknown[] }[]
}

test('When a release is made twice, then it is the same to the byte, and says what is in it', async () => {
  await using folder = await createFolder()
  const [one, other] = ['one', 'other'].map((name) => {
    const release = join(folder.path, name)
    execFileSync('npm', ['run', 'release', '--', release], { cwd: ROOT, stdio: 'pipe' })
    return release
  }) as [string, string]
  const sums = readFileSync(join(one, 'SHA256SUMS'), 'utf8')
  expect(readFileSync(join(other, 'SHA256SUMS'), 'utf8')).toBe(sums)
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: one, stdio: 'pipe' })

  const [name = ''] = /\S+-sbom\.json/.exec(sums) ?? []
  const { components } = JSON.parse(readFileSync(join(one, name), 'utf8')) as Bom
  const names = components.map((component) => component.name)
  expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'express', 'smtp-server', 'zod']))
  expect(names.filter((one) => ['vitest', 'typescript', 'rolldown'].includes(one))).toEqual([])

  // What `docker build -` is given.
  const [context = ''] = /\S+-image\.tar\.gz/.exec(sums) ?? []
  const files = execFileSync('tar', ['-tzf', join(one, context)], { encoding: 'utf8' }).split('\n')
  expect(files).toEqual(expect.arrayContaining(['Dockerfile', 'package-lock.json', 'src/main.ts']))
  expect(files.filter((file) => /^(test|docs|node_modules|dist|\.env)/.test(file))).toEqual([])
})
