import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSftpFolder } from '../../../src/folders/sftp.ts'
import { createLocalFolder, type Transport } from '../../../src/folders/transport.ts'
import type { IntakeItem } from '../../../src/ports/ports.ts'
import { between, crashing, type End, isItsTurn } from './crash.ts'
import { type Dropped, type Memory, newMemory, openAsking, openDropped, type Stop } from './reading-kit.ts'
import { noSshd, type SftpServer, startSftpServer } from './sshd.ts'

const READ = { products: { pattern: 'products-*.csv' }, 'stock-adjustments': { pattern: 'stock.ndjson' } }

const ROWS = Array.from({ length: 620 }, (_, no) => {
  if (no === 10) return 'P10,,much\n'
  return no % 500 === 20 ? `bad${no},"a\nb",1\n` : `P${no},Hat,${no}\n`
})
const PRODUCTS = `extId,name,price\n${ROWS.join('')}`
const STOCK = '{"stockId": 1, "gtin": "1", "quantity": 2}\n{"stockId": 1, "gtin": "bad"}\n'

const EXPECTED = {
  'archive/products-1.csv': PRODUCTS,
  'archive/stock.ndjson': STOCK,
  'reject/products-1.csv': [
    'TillbridgeLine,TillbridgeReason,extId,name,price\n',
    `12,"price: found ""much"", expected a number like 1399.50, without thousands signs",P10,,much\n`,
    ...[20, 520].map((no) => `${no + 2 + (no > 20 ? 1 : 0)},"no, not bad${no}",bad${no},"a\nb",1\n`),
  ].join(''),
  'reject/products-2.csv': 'extId,nonsense\nA,1\n',
  'reject/products-2.csv.reason.txt': expect.stringMatching(
    /^products-2\.csv\nLine 1: The column "nonsense" is not known/,
  ),
  'reject/stock.ndjson': '{"TillbridgeLine":2,"TillbridgeReason":"no, not bad","stockId": 1, "gtin": "bad"}\n',
}

const judge = ({ value }: IntakeItem) => {
  const name = String(value.extId ?? value.gtin)
  return name.startsWith('bad') ? [`no, not ${name}`] : []
}

function drop(folder: Dropped): void {
  folder.put('products-1.csv', PRODUCTS)
  folder.put('products-2.csv', 'extId,nonsense\nA,1\n')
  folder.put('stock.ndjson', STOCK)
}

function expectDone(folder: Dropped, { taken }: Memory, where: string): void {
  const names = [...taken.values()].map(({ extId, gtin }) => String(extId ?? gtin))
  expect(names, where).toHaveLength(618)
  expect(new Set(names).size, where).toBe(618)
  expect(folder.files(), where).toEqual(EXPECTED)
  for (const kind of ['reading', 'ended'])
    expect(readdirSync(join(folder.path, '.tillbridge', kind)), where).toEqual([])
}

/** Reads everything over a transport that ends somewhere, then with another hub. Gives the steps of the first. */
async function dieAt(open: (folder: string) => Transport, at: number, end: End): Promise<string[]> {
  await using folder = openDropped()
  drop(folder)
  const memory = newMemory()
  const controller = new AbortController()
  await using transport = open(folder.path)
  const { transport: dying, steps } = crashing(transport, at, end, () => controller.abort())
  const asking = openAsking(folder.path, READ, { memory, transport: dying, signal: controller.signal })
  const error = await asking.run({ judge }).catch((failed: unknown) => failed)
  const where = `${end} ${at}: ${steps[at - 1]}`
  if (error instanceof Error) expect(error, where).toMatchObject({ name: 'RetryLaterError', scope: 'destination' })
  await openAsking(folder.path, READ, { memory, transport }).run({ judge })
  expectDone(folder, memory, where)
  return steps
}

/** Ends at each step that is asked for, one after the other. Gives how many. */
async function dieAtEach(
  open: (folder: string) => Transport,
  end: End,
  isAsked: (step: string, at: number) => boolean = () => true,
): Promise<number> {
  const steps = await dieAt(open, Number.POSITIVE_INFINITY, end)
  const asked = steps.flatMap((step, index) => (isAsked(step, index + 1) ? [index + 1] : []))
  for (const at of asked.filter(isItsTurn)) await dieAt(open, at, end)
  return asked.length
}

function changes(step: string): boolean {
  return !/^(list|stat|sync|read)/.test(step)
}

function changesOrThird(step: string, at: number): boolean {
  return changes(step) || at % 3 === 0
}

describe('a hub that dies at any step of reading, in a folder', () => {
  test('When it ends before any of them, then each row is taken once, and each refused one told once', async () => {
    expect(await dieAtEach(createLocalFolder, 'before', changesOrThird)).toBeGreaterThan(50)
  })

  test('When it ends after one that changes something, and does not know, then that is so, too', async () => {
    expect(await dieAtEach(createLocalFolder, 'after', changes)).toBeGreaterThan(30)
  })

  test('When it ends half way through what it writes, then what is half counts for nothing', async () => {
    expect(await dieAtEach(createLocalFolder, 'half', (step) => step.startsWith('create'))).toBeGreaterThan(8)
  })

  test('When a step hangs until the time is over, then the next run goes on', async () => {
    expect(await dieAtEach(createLocalFolder, 'hangs', (_, at) => at % 5 === 0)).toBeGreaterThan(15)
  })

  test.each(['polled', 'accepted', 'reported'] satisfies Stop[])(
    'When it ends after a page was %s, then it comes again, and counts once',
    async (at) => {
      for (let page = 0; page < 5; page++) {
        await using folder = openDropped()
        drop(folder)
        const memory = newMemory()
        await openAsking(folder.path, READ, { memory }).run({ judge, stopAt: { page, at } })
        await openAsking(folder.path, READ, { memory }).run({ judge })
        expectDone(folder, memory, `${at} ${page}`)
      }
    },
  )

  test('When it erases how far it was, then it reads the file again, and what is taken counts once', async () => {
    await using folder = openDropped()
    drop(folder)
    const memory = newMemory()
    await openAsking(folder.path, READ, { memory }).run({ judge, stopAt: { page: 1, at: 'polled' } })
    memory.cursor = '{"of":"another version"}'
    const run = await openAsking(folder.path, READ, { memory }).run({ judge })
    expect(run.duplicates).toBe(498)
    expectDone(folder, memory, '')
  })
})

test('two hubs: When another one takes over at any step, and this one goes on after it, then all is there once', async () => {
  const steps = await takeOverAt(Number.POSITIVE_INFINITY)
  const asked = steps.flatMap((step, index) => (changesOrThird(step, index) ? [index + 1] : []))
  for (const at of asked.filter(isItsTurn)) await takeOverAt(at)
})

/** One hub reads; before this step, another one reads everything. Gives the steps of the first. */
async function takeOverAt(at: number): Promise<string[]> {
  await using folder = openDropped()
  drop(folder)
  const memory = newMemory()
  // What was taken is known to both, and the other one goes on from the cursor that was kept.
  const other = { ...memory }
  const { transport, steps } = between(createLocalFolder(folder.path), at, async () => {
    Object.assign(other, memory)
    await openAsking(folder.path, READ, { memory: other }).run({ judge })
  })
  await openAsking(folder.path, READ, { memory, transport })
    .run({ judge })
    .catch((error: Error) => expect(error).toMatchObject({ name: 'RetryLaterError' }))
  await openAsking(folder.path, READ, { memory: other }).run({ judge })
  expectDone(folder, memory, `${at}: ${steps[at - 1]}`)
  return steps
}

describe.skipIf(noSshd)(`reading over SFTP${noSshd ? ` (${noSshd})` : ''}`, () => {
  const servers: SftpServer[] = []
  beforeAll(async () => {
    servers.push(await startSftpServer(), await startSftpServer({ without: ['posix-rename'] }))
  })
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]()
  })

  test.each([
    [0, 'after'],
    [1, 'before'],
  ] as const)('When it ends at a step (server %i, %s), then each row is taken once', async (index, end) => {
    const server = servers[index] as SftpServer
    const open = (folder: string) => createSftpFolder(server.access(folder), { connections: 2, timeout: 5_000 })
    const moves = (step: string) => /^(rename|create|removeFolder)/.test(step)
    expect(await dieAtEach(open, end, moves)).toBeGreaterThan(20)
  })
})
