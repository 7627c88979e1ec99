import { expect, test } from 'vitest'
import { startTestHub } from '../hub.ts'
import { asking } from './run.ts'

const WHY = ['--reason', 'a test']

test('When what was typed is no name at all, then a command says so, and does not ask the hub for something else', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  const commands = [
    ['order'],
    ['probe'],
    ['pause'],
    ['jobs', 'history'],
    ['jobs', 'run'],
    ['kinds', 'show'],
    ['products', 'show'],
    ['keys', 'revoke'],
  ]
  for (const command of commands)
    for (const typed of ['..', '.'])
      expect([command, await run(...command, typed)]).toEqual([
        command,
        { code: 2, out: '', err: `"${typed}" names nothing here: type a number or a name.\n` },
      ])
  for (const [command, where] of [
    [['order', 'nope'], '"tillbridge find" looks for it'],
    [['probe', 'nope'], 'Destinations: '],
    [['jobs', 'run', 'nope'], 'Jobs: '],
    [['kinds', 'show', 'nope'], 'Kinds: '],
    [['events', 'show', '99'], '"tillbridge archive restore <id>"'],
    [['audit', 'show', '99'], '"tillbridge audit list"'],
    [['stock', 'approve', 'nope', ...WHY], '"tillbridge stock differences"'],
  ] as const)
    expect([command, await run(...command)]).toEqual([
      command,
      { code: 2, out: '', err: expect.stringContaining(where) },
    ])
})
