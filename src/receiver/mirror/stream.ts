import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { Page, ReadPage } from './pages.ts'

/** So many items are read, and written, at a time: others are served in between. */
const PAGE = 500

/** How a stream ended. */
export interface Streamed {
  count: number
  /** All of it is written, its end too. */
  isWhole: boolean
}

/**
 * Answers with all pages as NDJSON, no faster than they are taken; its last line says that it is the last. Rejects where the
 * store fails: with nothing answered yet, or with an answer that breaks off.
 */
export async function streamPages(response: Response, first: ReadPage, after: Page['next']): Promise<Streamed> {
  const streamed: Streamed = { count: 0, isWhole: false }
  const begun = await first(after, PAGE)
  response.type('application/x-ndjson')
  try {
    await pipeline(Readable.from(linesOf(), { objectMode: true, highWaterMark: 1 }), response)
    streamed.isWhole = true
  } catch (error) {
    // Whoever asked has gone.
    if (!isPrematureClose(error)) throw error
  }
  return streamed

  async function* linesOf(): AsyncGenerator<string> {
    let page = begun
    for (;;) {
      // The next one is read while this one is on its way.
      const coming = page.next === null ? null : first(page.next, PAGE)
      coming?.catch(() => {})
      streamed.count += page.items.length
      if (page.items.length > 0) yield page.items.map((item) => `${JSON.stringify(item)}\n`).join('')
      if (coming === null) break
      page = await coming
    }
    yield `${JSON.stringify({ end: true, count: streamed.count })}\n`
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}
