import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { EXIT, EXIT_WORDS, exitCodeOf } from '../../src/cli/shared/exit.ts'
import { notFoundText } from '../../src/domain/values/text.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, busTo, createFolder, deliveriesOf, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { asking, tillbridge, tillbridgeProcess } from './run.ts'

/** Signs that a terminal executes, and those that turn a line around. */
const STEERING = /(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

describe('asking a hub', () => {
  test('When a receiver refused a sale, then its dead letter is found, looked at, retried and delivered by commands', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    const run = asking(hub)
    sink.play({ status: 422, body: '{"code":"no-such-store","errors":[{"field":"storeNo"}]}' })
    await hub.post('SaleCreated', sale())
    await eventually(async () => expect((await deliveriesOf(hub))[0]?.state).toBe('dead'))

    const status = await run('status')
    expect(status).toMatchObject({ code: 1, out: expect.stringMatching(/^bus +prompt +0 +0 +0 +1 /m) })
    expect(status.out).toMatch(
      /^problem {2}queue bus prompt: 1 delivery is dead.* To do: tillbridge deliveries list --state dead --destination bus/m,
    )
    const listed = await run('deliveries', 'list', '--state', 'dead')
    expect(listed.out).toMatch(/^ +1 +1 +SaleCreated +publish +bus +dead .*no-such-store/m)
    // It was tried, and died of that: nothing says that it has failed no time.
    expect(listed.out).not.toMatch(/ dead +0 /)
    const shown = await run('deliveries', 'show', '1')
    expect(shown.out).toContain('422 Unprocessable')

    sink.play({ status: 204 })
    const dry = await run('deliveries', 'retry', '--state', 'dead', '--dry-run')
    expect(dry.out).toContain('retry would touch 1 delivery. Nothing was changed.')
    expect((await deliveriesOf(hub))[0]?.state).toBe('dead')
    const retried = await run('deliveries', 'retry', '1', '--reason', 'receiver repaired')
    expect(retried.out).toContain('retry: 1 of 1 delivery (audit entry 1).')
    await eventually(async () => expect((await deliveriesOf(hub))[0]?.state).toBe('delivered'))
    expect((await run('deliveries', 'show', '1')).out).toContain('receiver repaired')
    expect(await run('status')).toMatchObject({ code: 0, out: expect.stringMatching(/^Nothing needs a person\./) })
    // It is delivered by now: what was typed comes to nothing, and the command says why.
    expect((await run('deliveries', 'skip', '1', '--reason', 'x')).out).toMatch(
      /^skip: no delivery is one that it changes \(audit entry 2\)\.\nDelivery 1 is delivered: skip changes nothing of that\.\n$/,
    )
    expect(await run('deliveries', 'skip', '99', '--reason', 'x')).toMatchObject({
      code: 2,
      err: `${notFoundText('delivery', 99)}\n`,
    })
  })

  test('When an event was wanted by nobody, then it is listed, shown with its body, and rerouting says so', async () => {
    await using hub = await startTestHub()
    const run = asking(hub)
    await hub.post('BrandNewKind', { what: 'is this' })
    expect((await run('events', 'list', '--state', 'unrouted')).out).toMatch(/^ +1 .*BrandNewKind +unrouted/m)
    expect((await run('events', 'show', '1')).out).toContain('{"what":"is this"}')
    expect((await run('reroute', '--state', 'unrouted')).out).toContain('0 events enqueue 0 new deliveries.')
  })

  test('When an event steers a terminal, by text or by JSON, then what is shown of it does not', async () => {
    await using hub = await startTestHub()
    const run = asking(hub)
    const escapes = '\u001b]0;owned\u0007 \u001b[2J \u009b1A \u202Eevil \u2066'
    await hub.post('BrandNewKind', { what: escapes }, { headers: { 'x-from': 'caf\u009b2J' } })
    await hub.post('BrandNewKind', `no JSON ${escapes}\r\nnext line`)
    for (const asked of [
      ['events', 'show', '1'],
      ['events', 'show', '2'],
      ['events', 'show', '2', '--json'],
      ['events', 'list'],
    ]) {
      const { out } = await run(...asked)
      expect(out).toMatch(/BrandNewKind/)
      expect(out).not.toMatch(STEERING)
    }
    expect((await run('events', 'show', '2')).out).toContain('\nnext line\n')
    const { body } = JSON.parse((await run('events', 'show', '2', '--json')).out)
    expect(body).toBe(`no JSON ${escapes}\r\nnext line`)
  })
})

describe('without a hub', () => {
  test('When the config is right, then check says so and shows the destinations', async () => {
    const secrets = {
      ADMIN_TOKEN: 'an-admin-token-to-check-with',
      WEBHOOK_TOKEN: 'a-webhook-token-to-check-with',
      BUS_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      TILLBRIDGE_CONFIG: 'config/example.yaml',
    }
    const checked = await tillbridge(['check'], secrets)
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('config/example.yaml is right.') })
    const json = await tillbridge(['check', '--json'], secrets)
    for (const secret of Object.values(secrets).slice(0, 3)) expect(json.out).not.toContain(secret)
  })

  test('When the config is wrong, then check lists every problem with its line, as text and as JSON, and exits with 2', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'bad.yaml')
    await writeFile(path, 'server:\n  port: nix\ndestinations:\n  bus: { adapter: htp }\n')
    const checked = await tillbridge(['check'], { TILLBRIDGE_CONFIG: path })
    expect(checked.code).toBe(2)
    expect(checked.err).toMatch(/bad\.yaml:2 server\.port: /)
    expect(checked.err).toMatch(/bad\.yaml:4 destinations\.bus\.adapter: /)
    const json = await tillbridge(['check', '--json'], { TILLBRIDGE_CONFIG: path })
    const { problems } = JSON.parse(json.out)
    expect(problems.length).toBeGreaterThanOrEqual(4)
    const says = expect.stringMatching(/bad\.yaml:2 server\.port: found "nix", /)
    expect(problems).toContainEqual(expect.objectContaining({ says, path: 'server.port', line: 2, found: '"nix"' }))
    expect(json).toMatchObject({ code: 2, err: '' })
  })
})

test('the program itself: When it runs in a process of its own, then it answers there, and its exit code says how it ended', async () => {
  await using hub = await startTestHub()
  const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  const [status, unknown, refused] = await Promise.all([
    tillbridgeProcess(['status'], env),
    tillbridgeProcess(['statsu'], env),
    tillbridgeProcess(['status'], { ...env, TILLBRIDGE_ADMIN_TOKEN: 'another' }),
  ])
  expect(status).toMatchObject({ code: 0, err: '', out: expect.stringContaining('No destinations are configured.') })
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean status?') })
  expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('401') })
})

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
  // These run until they are stopped, are a show, a shell's script, or the beginning of an adapter; templates are CSV.
  const running = ['start', 'sandbox', 'demo', 'completions', 'new']
  const without = leavesOf(program).filter(
    ({ name, options }) => !options.includes('--json') && !running.includes(name),
  )
  expect(without.map(({ name }) => name)).toEqual([])
})

function leavesOf(command: Command): { name: string; options: string[] }[] {
  if (command.commands.length > 0) return command.commands.flatMap(leavesOf)
  return [{ name: command.name(), options: command.options.map(({ long }) => long ?? '') }]
}
