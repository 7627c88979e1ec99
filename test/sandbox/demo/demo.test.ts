import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { oldNode } from '../../old-node.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PROGRAMS = { demo: 'sandbox/demo/demo.ts', sandbox: 'sandbox/main.ts' }

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

test('When Ctrl-C is pressed while the demo plays, then its hub ends and its folder is gone', async () => {
  const demo = start('demo')
  let out = ''
  demo.stdout?.on('data', (bytes) => {
    out += bytes
  })
  const kept = await eventually(() => /everything it keeps is in (\S+)\.$/m.exec(out)?.[1] ?? false, 30_000)
  expect(existsSync(kept)).toBe(true)
  // As a terminal does, to the hub too; and npm passes it on once more.
  process.kill(-(demo.pid ?? 0), 'SIGINT')
  demo.kill('SIGINT')
  const [code] = await once(demo, 'close')
  expect([code, existsSync(kept)]).toEqual([130, false])
}, 60_000)

function start(name: keyof typeof PROGRAMS, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAMS[name], ...args], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, NO_COLOR: '1' },
  })
}

async function ended(child: ChildProcess): Promise<{ code: number; out: string }> {
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => {
      out += bytes
    })
  const [code] = await once(child, 'close')
  return { code, out }
}
