import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterEach, expect, test, vi } from 'vitest'
import { createClient } from '../../src/cli/shared/client.ts'
import { inParts, type PartAsked } from '../../src/cli/shared/command.ts'
import { writtenConfig } from '../app/written.ts'
import { openTestStore } from '../empty-store.ts'
import { startTestHub } from '../hub.ts'
import { createArrivals } from '../storage/arrivals.ts'
import { interrupted } from './interrupt.ts'
import { asking, tillbridge } from './run.ts'

const codeBefore = process.exitCode
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = codeBefore
})

interface How {
  act: number | null
  rest: (act: number) => string
}

/** An act of so many parts of 1,000; `at`: called in the midst of each. */
function actOf(parts: number, at: (part: number) => void = () => {}, { act = 7, rest }: Partial<How> = {}) {
  const asked: PartAsked[] = []
  const ask = async (part: PartAsked) => {
    asked.push(part)
    at(asked.length)
    return { act, next: asked.length === parts ? null : asked.length * 1_000, changed: 1_000 }
  }
  const run = () => inParts('changing', ask, rest)
  return { asked, run }
}

test('When an act has several parts, then each goes on where the last one ended, under the same act', async () => {
  const { asked, run } = actOf(3)
  expect(await run()).toEqual({ act: 7, next: null, changed: 3_000 })
  expect(asked).toEqual([
    { act: null, after: 0, most: 1_000 },
    { act: 7, after: 1_000, most: 1_000 },
    { act: 7, after: 2_000, most: 1_000 },
  ])
})

test('When a person presses Ctrl-C, then it ends after the part that is under way, and says what was done', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { asked, run } = actOf(9, (part) => {
    if (part === 2) process.emit('SIGINT', 'SIGINT')
  })
  expect(await run()).toMatchObject({ changed: 2_000, next: 2_000 })
  expect(asked).toHaveLength(2)
  expect(said.mock.calls.join()).toMatch(
    /Stopped\. What is done stays done; it is audit entry 7\. The same command does the rest\./,
  )
  expect(process.exitCode).toBe(130)
})

test('When a part fails, then what was done before it is told, and how it goes on, and the failure is that of the command', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const fail = (nth: number) => (part: number) => {
    if (part === nth) throw new Error('No hub answers.')
  }
  await expect(actOf(9, fail(3)).run()).rejects.toThrow('No hub answers.')
  expect(said.mock.calls).toEqual([
    ['Broken off. What is done stays done; it is audit entry 7. The same command does the rest.'],
  ])
  // Of the first one nobody knows whether it began.
  said.mockClear()
  await expect(actOf(9, fail(1)).run()).rejects.toThrow('No hub answers.')
  expect(said).not.toHaveBeenCalled()
})

test.each([[[]], [['--json']]])(
  'When a backup is stopped by Ctrl-C (%j), then it says so, ends with 130, and leaves nothing of the copy',
  async (json) => {
    await using config = await writtenConfig()
    const storage = await openTestStore(join(config.folder, 'hub.db'))
    await storage[Symbol.asyncDispose]()
    const copy = join(config.folder, 'copy.db')
    const ended = await interrupted(() => tillbridge(['backup', copy, ...json], config.env))
    expect(ended.code).toBe(130)
    const says = 'Stopped. Nothing of the copy is left.'
    if (json.length === 0) expect(ended).toMatchObject({ out: '', err: `${says}\n` })
    else expect([JSON.parse(ended.out), ended.err]).toEqual([{ problems: [{ says }] }, ''])
    expect(existsSync(copy)).toBe(false)
  },
)

test('When many events are dismissed and a person presses Ctrl-C, then it ends between two parts, and the rest can follow', async () => {
  await using hub = await startTestHub()
  const { arrival } = createArrivals({ now: Date.now })
  const stray = () => arrival({ kind: 'BrandNewKind', deliveries: [] })
  await hub.hub.storage.accept(Array.from({ length: 1_100 }, stray))
  const run = asking(hub)
  const dismiss = () => run('events', 'dismiss', '--kind', 'BrandNewKind', '--reason', 'nobody wants that kind')
  const ended = await interrupted(dismiss)
  expect(ended).toMatchObject({
    code: 130,
    out: expect.stringMatching(/^dismiss: 1000 of 1100 events \(audit entry 1\)/),
  })
  expect(ended.err).toMatch(/^Stopped\. What is done stays done; it is audit entry 1\./m)
  expect(await dismiss()).toMatchObject({ code: 0, out: expect.stringMatching(/^dismiss: 100 of 100 events/) })
})

test('When an act takes longer than a question may, then the command waits for what came of it: a proof is given once', async () => {
  const asked: ServerResponse[] = []
  const server = createServer((_, response) => void asked.push(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const before = getGlobalDispatcher()
  const impatient = new Agent({ headersTimeout: 50 })
  setGlobalDispatcher(impatient)
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = await createClient({ TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: 'x' })
    const acting = client.post('/admin/people/erase', { who: 'ola@example.com' })
    acting.catch(() => {})
    await once(server, 'request')
    await expect(client.get('/admin/status')).rejects.toThrow('Headers Timeout')
    asked[0]?.end('{"proof":"of it"}')
    expect(await acting).toEqual({ proof: 'of it' })
  } finally {
    setGlobalDispatcher(before)
    await impatient.destroy()
    server.closeAllConnections()
    server.close()
  }
})
