import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { programEnv } from '../../program-env.ts'
import type { Ran } from '../run.ts'
import { openWorld, pushHere, type World } from './kit.ts'

describe('a CSV file of products', () => {
  test('When it is rehearsed, then faults are told with lines of the file, and nothing is taken', async () => {
    await using the = await openWorld()
    const rows = ['A,x', 'B,bad', 'C,bad', '"D",x', 'A,x', 'E,1', 'F,bad']
    const path = await the.file('p.csv', `extId,color\n"first\nof two lines",x\n${rows.join('\n')}\n`)
    const ran = await the.push('products', path, '--dry-run')
    expect(ran.code).toBe(1)
    expect(ran.out).toContain('4 would be taken, 4 refused. Nothing was taken.')
    expect(ran.out).toContain('  line 5: color: found "bad", expected a color')
    expect(ran.out).toContain('  line 8: A stood on line 4 already: rows that belong together stand together')
    expect(ran.out).toContain('  line 2: price-jump: price: 1399.50, was 139.95\n  … and 1 more (--json)')
    expect(the.server.arrived).toMatchObject([{ query: { dryRun: 'true' }, idempotencyKey: undefined }])
    expect(the.server.taken.size).toBe(0)
    const clean = await the.push('products', await the.file('clean.csv', 'extId\nA\n'), '--dry-run')
    expect(clean.code).toBe(0)
  })

  test('When a row is refused and one is dead, then both are told with their lines, and the exit code is 1', async () => {
    await using the = await openWorld()
    const path = await the.file('p.csv', 'extId,color\n\nA,bad\nB,dead\nC,dead\nD,dead\nE,x\n')
    const ran = await the.push('products', path)
    expect(ran.code).toBe(1)
    expect(ran.out).toContain('Submission 1: 4 taken, 1 refused.')
    expect(ran.out).toContain('line 3: color: found "bad"')
    expect(ran.out).toContain('Deliveries: 1 delivered, 3 dead.')
    for (const line of [4, 5, 6]) expect(ran.out).toContain(`line ${line} (product:A): The platform refused it.`)
    const json = JSON.parse((await the.push('products', path, '--json')).out)
    expect(json).toMatchObject({
      resource: 'products',
      submission: 1,
      accepted: 0,
      duplicates: 4,
      refused: 1,
      faults: [{ line: 3 }],
      deliveries: { delivered: 1, dead: 3 },
      failed: [{ line: 4 }, { line: 5 }, { line: 6 }],
    })
  })

  test('When it is not UTF-8, then the command names the line', async () => {
    await using the = await openWorld()
    const latin = await the.file('p.csv', Buffer.from('extId,name\nA,x\nB,Bl\u00e5\n', 'latin1'))
    expect(await the.push('products', latin)).toMatchObject({
      code: 2,
      err: expect.stringContaining('p.csv, line 3: this is not UTF-8'),
    })
    const wide = await the.file('w.csv', Buffer.from('\uFEFFextId\nA\n', 'utf16le'))
    expect((await the.push('products', wide)).err).toContain('w.csv: It is UTF-16')
  })

  test('When the template of cost prices is pushed, then the hub gets each as the cost that it is', async () => {
    await using the = await openWorld()
    const { out } = await the.push('costs', '--template')
    const costs = await the.file('costs.csv', out)
    expect(await the.push('costs', costs)).toMatchObject({ code: 0, err: '' })
    const [{ path, lines } = { path: '', lines: [] }] = the.server.arrived
    expect(path).toBe('/v1/cost-prices')
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(out.trim().split('\n').length - 1)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ price: expect.stringMatching(/^\d+/) })
  })
})

test('When NDJSON is pushed, then its items arrive as they are written', async () => {
  await using the = await openWorld()
  const items = ['{"extId":"A","price":1399.50}', '{ "extId":\t"B","name":"] } , \\" é","productSizes":[{"gtin":"1"}]}']
  await the.push('products', await the.file('a.ndjson', `${items[0]}\r\n\n${items[1]}`))
  expect(the.server.arrived.map(({ lines }) => lines)).toEqual([items])
})

describe('a push that does not go through at once', () => {
  let the: World
  let path: string
  beforeEach(async () => {
    the = await openWorld()
    const items = Array.from({ length: 5_000 }, (_, index) => `{"extId":"P${index}","name":"${'x'.repeat(80)}"}`)
    path = await the.file('many.ndjson', items.join('\n'))
    return () => the[Symbol.asyncDispose]()
  })

  test('When the connection is cut and the hub is busy, then it goes on by itself, and takes nothing twice', async () => {
    the.server.play((nth) => (nth === 0 ? { cutAfter: 2_000 } : nth === 1 ? 'busy' : 'take'))
    const ran = await the.push('products', path, '--retries', '2')
    expect(ran.code).toBe(0)
    expect(ran.out).toContain('Submission 1: 3,000 taken, 2,000 were taken before, 0 refused.')
    expect(ran.err).toContain('Trying again in 1 s.')
    expect(ran.err).toContain('503 The store cannot write now.')
    expect(the.server.taken.size).toBe(5_000)
    expect(new Set(the.server.arrived.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  })

  test('a file that is written anew between two tries: the second one sends what the first one read', async () => {
    the.server.play((nth) => (nth === 0 ? { cutAfter: 2_000 } : 'take'))
    const ran = the.push('products', path, '--retries', '1')
    await eventually(() => expect(the.server.taken.size).toBe(2_000))
    await the.file('many.ndjson', '{"extId":"Q"}\n'.repeat(5_000))
    expect(await ran).toMatchObject({ code: 0 })
    expect([...the.server.taken.values()].filter((line) => line.includes('"Q"'))).toEqual([])
    expect(the.server.taken.size).toBe(5_000)
  })

  test('When nobody answers any more, then it says to run the same again, which then continues', async () => {
    the.server.play((nth) => (nth === 0 ? { cutAfter: 1_234 } : 'take'))
    const first = await the.push('products', path, '--retries', '0')
    expect(first).toMatchObject({ code: 1, out: '' })
    expect(first.err).toContain('Run the same command again: it continues, and nothing is taken twice.')
    const second = await the.push('products', path)
    expect(second.code).toBe(0)
    expect(second.out).toContain('Submission 1: 3,766 taken, 1,234 were taken before')
    expect(the.server.taken.size).toBe(5_000)
  })

  test('When it is run once more, then nothing is taken; with --again, or written anew, everything is', async () => {
    await the.push('products', path)
    const same = await the.push('products', path)
    expect(same).toMatchObject({ code: 0, out: expect.stringContaining('5,000 were taken before') })
    expect(same.out).toContain('Nothing is taken twice; --again sends it once more.')
    expect(the.server.taken.size).toBe(5_000)
    expect((await the.push('products', path, '--again')).out).toContain('Submission 2: 5,000 taken')
    // Back to what it was the week before: that is news too.
    await utimes(path, new Date(), new Date(Date.now() + 60_000))
    expect((await the.push('products', path)).out).toContain('Submission 3: 5,000 taken')
  })

  test('When a person stops it while the platform gets its items, then it says how to go on, with code 130', async () => {
    the.server.hold()
    const running = start(['push', 'products', path, '--again'], the.env)
    await eventually(() => the.server.looks() > 0)
    // Once from the terminal, once passed on by npm.
    running.child.kill('SIGINT')
    running.child.kill('SIGINT')
    const stopped = await running.ended
    expect(stopped.code).toBe(130)
    expect(stopped.err).toContain(
      'Interrupted. The hub has taken all and goes on by itself. Run the same command again with',
    )
    const [, key = ''] = /--idempotency-key (\S+)/.exec(stopped.err) ?? []
    the.server.letGo()
    const second = await the.push('products', path, '--idempotency-key', key)
    expect(second.out).toContain('5,000 were taken before')
    expect(the.server.taken.size).toBe(5_000)
  })

  test('When the process is killed while it sends, then the same command continues', async () => {
    const running = start(['push', 'products', path], the.env)
    await eventually(() => (the.server.arrived[0]?.lines.length ?? 0) > 0)
    running.child.kill('SIGKILL')
    await running.ended
    expect(await the.push('products', path)).toMatchObject({ code: 0 })
    expect(the.server.taken.size).toBe(5_000)
    expect(the.server.arrived.length).toBeGreaterThan(1)
  })

  test('When --no-wait is given, then it ends when the hub has it', async () => {
    the.server.hold()
    const ran = await the.push('products', path, '--no-wait')
    expect(ran).toMatchObject({ code: 0, out: 'Submission 1: 5,000 taken, 0 refused.\n' })
  })
})

describe('a hub that refuses', () => {
  test.each([
    [
      'it may not submit these',
      { problem: 403, detail: 'The key may not submit products.' },
      '403 The key may not submit',
    ],
    ['the address is another server', 'html', 'Something answers at http://127.0.0.1'],
  ] as const)('When %s, then the command says so with code 2', async (_, script, said) => {
    await using the = await openWorld()
    the.server.play(() => script)
    const ran = await the.push('products', await the.file('p.csv', 'extId\nA\n'))
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(said)])
  })

  test('When a large file comes with a wrong key, then the refusal is heard, and the key is not shown', async () => {
    await using the = await openWorld()
    const path = the.path('large.ndjson')
    const writing = createWriteStream(path)
    for (let item = 0; item < 20_000; item += 1) writing.write(`{"extId":"P${item}","name":"${'x'.repeat(500)}"}\n`)
    await finished(writing.end())
    const ran = await pushHere(['products', path], { ...the.env, TILLBRIDGE_KEY: 'tb_wrong-secret' })
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('The hub does not know this key.') })
    expect(ran.err).not.toContain('wrong-secret')
  })
})

function start(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['bin/tillbridge.mjs', ...args], {
    env: programEnv({ NO_COLOR: '1', ...env }),
  })
  let err = ''
  child.stderr.on('data', (bytes) => {
    err += bytes
  })
  const ended = new Promise<Pick<Ran, 'code' | 'err'>>((resolve) => {
    // The second signal may come while it ends already: a shell calls that 130, too.
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === 'SIGINT' ? 130 : -1), err }))
  })
  return { child, ended }
}

test('When customers are pushed, then each row is one as it is written, and --directory says whom they are for', async () => {
  await using the = await openWorld()
  const rows = 'extId;email;phone;phoneCountryPrefix;postalCode\nC-1;kari@example.com;912 34 567;47;0155\nC-2;;;;\n'
  const path = await the.file('c.csv', rows)
  const everywhere = await the.push('customers', path)
  const directory = await the.push('customers', path, '--directory')
  expect([everywhere.code, directory.code]).toEqual([0, 0])
  expect(everywhere.out).toContain('Deliveries: 2 delivered.')
  expect(the.server.arrived).toMatchObject([
    { path: '/v1/customers', query: {} },
    { path: '/v1/customers', query: { directoryOnly: 'true' } },
  ])
  expect(the.server.arrived[0]?.lines.map((line) => JSON.parse(line))).toEqual([
    { extId: 'C-1', email: 'kari@example.com', phone: '912 34 567', phoneCountryPrefix: '47', postalCode: '0155' },
    { extId: 'C-2' },
  ])
  // They are two pushes.
  expect(new Set(the.server.arrived.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2)
})
