import { expect, test } from 'vitest'
import { startTestHub } from '../../hub.ts'
import { asking } from '../run.ts'

test('When all but a few are named, as by --no-dismissed alone, then that is a verb on everything, and refused', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  for (const args of [
    ['reroute', '--no-dismissed'],
    ['events', 'dismiss', '--no-dismissed', '--reason', 'x'],
  ])
    expect(await run(...args), args.join(' ')).toMatchObject({ code: 2, err: expect.stringContaining('say which') })
})
