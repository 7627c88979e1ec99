import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../house/imports.ts'

const run = promisify(execFile)

/** A run of its own, whose results are kept in a folder. */
async function judge(folder: string, ...args: string[]): Promise<string> {
  const program = join(ROOT, 'tools/mutation/main.ts')
  const { stdout } = await run(process.execPath, [program, '--folder', folder, '--processes', '1', ...args], {
    cwd: ROOT,
  })
  return stdout
}

test('When a file is judged by its own tests, then what they hold is killed; a second run finds it done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillbridge-mutation-'))
  try {
    const out = await judge(folder, '--own', 'domain/queue/run.ts')
    const [, mutants, killed, byTime] = /^\| domain\/queue \| (\d+) \| (\d+) \| (\d+) \|/m.exec(out) ?? []
    expect(Number(mutants)).toBeGreaterThan(10)
    expect(Number(killed) + Number(byTime)).toBe(Number(mutants))
    const results = join(folder, 'results.lines')
    const before = readFileSync(results, 'utf8')
    expect(await judge(folder, '--own', 'domain/queue/run.ts')).toContain(`| ${mutants} | ${killed} |`)
    expect(readFileSync(results, 'utf8')).toBe(before)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('When what a thread of the store does is changed, then the tests that ask the thread notice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillbridge-mutation-'))
  try {
    const out = await judge(
      folder,
      '--own',
      '--sample',
      '6',
      'store/sqlite/acknowledging.ts',
      '--room',
      'store/sqlite.ts',
    )
    expect(out).toMatch(/^\| store \| 6 \| [1-6] \|/m)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
