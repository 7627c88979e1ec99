import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { oldNode } from '../../old-node.ts'
import { PROGRAMS, ROOT, start } from './start.ts'

describe.each(['demo', 'sandbox'] as const)('npm run %s', (name) => {
  test('When its help is asked for, or an option is mistyped, then it says so and starts nothing', async () => {
    const [help, typo, choice] = await Promise.all([
      ended(start(name, '--help')),
      ended(start(name, '--dialct', 'spec')),
      ended(start(name, '--dialect', 'fact')),
    ])
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('--dialect') })
    expect(typo).toEqual({ code: 2, out: "error: unknown option '--dialct'\n(Did you mean --dialect?)\n" })
    expect(choice).toMatchObject({
      code: 2,
      out: expect.stringContaining('Allowed choices are spec, facts, frontsystems-v2.'),
    })
  })

  // With scripts turned off, npm brings no Node along.
  test.skipIf(oldNode() === null)('When the Node is too old, then one sentence says what to do', async () => {
    const args = ['--import', './tools/require-node.mjs', PROGRAMS[name]]
    const { code, out } = await ended(spawn(oldNode() ?? '', args, { cwd: ROOT }))
    expect(code).toBe(2)
    expect(out).toMatch(/^Tillbridge needs Node 24 or newer, .* run "node tools\/ensure-node\.mjs" once.*\.\n$/)
  })
})

async function ended(child: ChildProcess): Promise<{ code: number; out: string }> {
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => {
      out += bytes
    })
  const [code] = await once(child, 'close')
  return { code, out }
}
