import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { describe, expect, test } from 'vitest'
import type { StoredMirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import { createStoreIndex } from '../../../src/domain/stores/store-index.ts'
import { problemHandler } from '../../../src/http/problem.ts'
import { createMirrorReads } from '../../../src/http/read-models/read-models.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createLogger } from '../../../src/lib/logger.ts'
import { eventually } from '../../eventually.ts'
import type { Line } from '../../hub.ts'
import { listen } from '../../listen.ts'
import { countOwnTime } from '../../own-time.ts'
import { type Desk, NDJSON, openDesk, soldLine } from './given.ts'

describe('a stream', () => {
  for (const accept of [NDJSON, 'text/csv'] as const)
    test(`When 100,000 lines are streamed (${accept}), then they come soon, and the memory stays small`, async () => {
      await using desk = await openDesk()
      await fill(desk, 100_000)
      await desk.lines('sales-lines?to=2026-11-01')
      const before = process.memoryUsage().rss
      let peak = 0
      const ownTime = countOwnTime()
      const answer = await open({ url: desk.hub.url, key: desk.key }, 'sales-lines', accept)
      let lines = 0
      let last = ''
      for await (const piece of answer) {
        const text = String(piece)
        lines += text.split('\n').length - 1
        last = (last + text).slice(-40)
        peak = Math.max(peak, process.memoryUsage().rss)
      }
      if (accept === NDJSON) expect(last).toMatch(/\n\{"end":true,"count":100000\}\n$/)
      expect(lines).toBe(100_001)
      expect(ownTime()).toBeLessThan(10_000)
      // 32 MB went through.
      expect(peak - before).toBeLessThan(150e6)
    })

  test('When whoever asked does not read, then the hub does not either; when it goes, the hub is done', async () => {
    await using endless = await openApp(() => Promise.resolve(PAGE))
    const answer = await open(endless, 'sales-lines')
    await eventually(async () => {
      const before = endless.pages()
      // Longer than a page takes by far.
      await pause(100)
      expect(endless.pages()).toBe(before)
    })
    answer.destroy()
    await eventually(() => expect(endless.lines).toMatchObject([{ msg: 'mirror.streamed', isWhole: false }]))
  })

  for (const [accept, count] of [
    [NDJSON, 3 * 500],
    // The header is a line.
    ['text/csv', 3 * 500 + 1],
  ] as const)
    test(`When the store fails in between, then the answer (${accept}) breaks off, without its end, and the log says why`, async () => {
      await using failing = await openApp((page) =>
        page < 4 ? Promise.resolve(PAGE) : Promise.reject(new Error('No disk.')),
      )
      const { text, failure } = await textOf(await open(failing, 'sales-lines', accept))
      expect(failure).toBeInstanceOf(Error)
      expect(text.match(/\n/g)).toHaveLength(count)
      expect(text).not.toContain('"end"')
      expect(failing.lines).toMatchObject([{ msg: 'request.failed', err: { message: 'No disk.' } }])
    })
})

async function fill({ save }: Desk, count: number): Promise<void> {
  for (let from = 0; from < count; from += 5_000)
    await save(...Array.from({ length: 5_000 }, (_, n) => soldLine(`L${from + n}`, { part: null })))
}

async function open(
  { url, key }: { url: string; key: string },
  set: string,
  accept = NDJSON,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, accept }
  const [answer] = await once(get(`${url}/v1/${set}`, { headers }), 'response')
  return answer
}

async function textOf(answer: IncomingMessage): Promise<{ text: string; failure: unknown }> {
  let text = ''
  try {
    for await (const piece of answer) text += piece
    return { text, failure: null }
  } catch (failure) {
    return { text, failure }
  }
}

const PAGE = Array.from({ length: 501 }, (_, id): StoredMirrorRow => ({ ...soldLine(`L${id}`), id, savedAt: 0 }))

/** The reads alone, with a store that gives what `page` says. */
async function openApp(page: (count: number) => Promise<StoredMirrorRow[]>) {
  const lines: Line[] = []
  const logger = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  let pages = 0
  const key = { id: '1', system: 'bi', scopes: [], createdAt: 0, createdBy: '', lastUsedAt: null, revokedAt: null }
  const app = express()
  app.use(
    createMirrorReads({
      check: () => (_, response, next) => {
        response.locals.apiKey = key
        next()
      },
      storage: {
        mirrorPage() {
          pages += 1
          return page(pages)
        },
        stores: () => Promise.resolve([]),
        formerPlaces: () => Promise.resolve([]),
        mirrorRows: () => Promise.resolve([]),
        customersPage: () => Promise.resolve([]),
      },
      storeIndex: () => createStoreIndex([]),
      mirrored: 'all',
      keepsCustomers: false,
      logger,
    }),
  )
  app.use(problemHandler(logger, systemClock))
  const server = await listen(app)
  return { ...server, key: '', lines, pages: () => pages }
}
