import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { start } from './start.ts'

describe.each(['demo', 'sandbox'] as const)('tillbridge %s', (name) => {
  test('When its help is asked for, or an option is mistyped, then it says so and starts nothing', async () => {
    const [help, typo, choice] = await Promise.all([
      ended(start(name, '--help')),
      ended(start(name, '--dialct', 'spec')),
      ended(start(name, '--dialect', 'fact')),
    ])
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('--dialect') })
    expect(typo).toEqual({
      code: 2,
      out: `error: unknown option '--dialct'\n(Did you mean --dialect?)\n"tillbridge ${name} --help" shows what it takes.\n`,
    })
    expect(choice).toMatchObject({
      code: 2,
      out: expect.stringContaining('Allowed choices are spec, facts, frontsystems-v2.'),
    })
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
