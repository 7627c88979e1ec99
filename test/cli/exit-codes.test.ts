import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { EXIT, EXIT_WORDS, exitCodeOf } from '../../src/cli/shared/exit.ts'
import { startTestHub } from '../hub.ts'
import { asking, tillbridge } from './run.ts'

const NONE = { TILLBRIDGE_URL: 'http://127.0.0.1:9', TILLBRIDGE_ADMIN_TOKEN: 'x' }

describe('how a command ends', () => {
  test('When it ends, then its exit code is one of the table, which help and docs/commands.md have', async () => {
    const { out } = await tillbridge(['--help'])
    const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8')
    for (const [name, code] of Object.entries(EXIT)) {
      const words = EXIT_WORDS[name as keyof typeof EXIT]
      expect(out).toContain(`${code}  ${words}`)
      expect(page).toContain(`| ${code} | ${words} |`)
    }
  })

  test('When all is well, then it is 0; help and version too', async () => {
    await using hub = await startTestHub()
    const run = asking(hub)
    for (const args of [['status'], ['health'], ['--version'], ['events', '--help']])
      expect(await run(...args), args.join(' ')).toMatchObject({ code: EXIT.well, err: '' })
    expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('When something is wrong that the command found, then it is 1', async () => {
    await using hub = await startTestHub()
    expect(await asking(hub)('jobs', 'run', 'resend-failed')).toMatchObject({ code: EXIT.input })
    expect(await tillbridge(['health'], NONE)).toMatchObject({ code: EXIT.problem })
    const json = await tillbridge(['health', '--json'], NONE)
    expect(JSON.parse(json.out)).toMatchObject({ ready: false, why: expect.stringContaining('ECONNREFUSED') })
  })

  test.each([
    [['statsu'], "unknown command 'statsu'\n(Did you mean status?)"],
    [['events', 'list', '--knd', 'x'], "unknown option '--knd'\n(Did you mean --kind?)"],
    [['events', 'list', '--state', 'dead'], 'Allowed choices are routed, unrouted, quarantined.'],
    [['deliveries', 'list', '--state', 'unrouted'], 'Allowed choices are waiting, claimed, held, delivered, dead'],
    [['deliveries', 'show', 'abc'], 'It is a whole number, such as 77.'],
    [['deliveries', 'retry', '1O'], 'It is a whole number, such as 77.'],
    [['reroute', 'x'], 'It is a whole number, such as 77.'],
    [['events', 'list', '--limit', 'all'], 'It is a whole number from 1, such as 50.'],
    [['events', 'list', '--limit', '0'], 'It is a whole number from 1, such as 50.'],
    [['archive', 'search', 'A1', '--limit', '0'], 'It is a whole number from 1, such as 50.'],
    [['order', ''], 'number: it is empty.'],
    [['products', 'show', ' '], 'it is empty.'],
    [['find', 'A1', ''], 'anything: it is empty.'],
    [['people', 'erase', 'ola@example.com', '--reason', 'asked', '--proof-to', ''], '--proof-to: it is empty.'],
    [['complete', '--destination', ''], '--destination: it is empty.'],
    [
      ['events', 'list', '--since', 'yesterday'],
      'It is an instant, such as 2026-11-20T08:00Z, or how long ago: 45m, 2h, 3d.',
    ],
    [['products', 'differences', '--state', 'shut'], 'Allowed choices are open, gone.'],
    [['pause'], "missing required argument 'destination'"],
    [['status'], 'No hub answers at http://127.0.0.1:9'],
  ])(
    'When %j is mistyped, or nobody answers, then it is 2, and it says what would have been right',
    async (args, says) => {
      const reported = await tillbridge(args, NONE)
      expect([reported.code, reported.out]).toEqual([EXIT.input, ''])
      expect(reported.err).toContain(says)
      const json = await tillbridge([...args, '--json'], NONE)
      expect([json.code, json.err]).toEqual([EXIT.input, ''])
      expect(JSON.parse(json.out)).toEqual({ problems: [{ says: expect.stringContaining(says) }] })
    },
  )

  test.each([
    [['ok', 'note'], EXIT.well],
    [['ok', 'unknown', 'problem'], EXIT.problem],
    [['note', 'unknown'], EXIT.input],
  ] as const)('When what was looked at is %j, then the command ends with %i', (states, code) => {
    expect(exitCodeOf(states.map((state) => ({ state })))).toBe(code)
  })
})

test('When a command prints something, then it can print it as JSON', () => {
  // One is the hub itself; templates are CSV.
  const without = leavesOf(program).filter(({ name, options }) => !options.includes('--json') && name !== 'start')
  expect(without.map(({ name }) => name)).toEqual([])
})

function leavesOf(command: Command): { name: string; options: string[] }[] {
  if (command.commands.length > 0) return command.commands.flatMap(leavesOf)
  return [{ name: command.name(), options: command.options.map(({ long }) => long ?? '') }]
}
