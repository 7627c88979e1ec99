import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { start } from './start.ts'

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
