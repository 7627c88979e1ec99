import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { Page, ReadPage } from './pages.ts'

/** How the lines are announced. */
export const NDJSON = 'application/x-ndjson'

/** The most items that are read, and written, at a time: others are served in between. */
const PAGE = 500

/** How a stream ended. */
export interface Streamed {
  count: number
  /** The stream was written as a whole, its end too. */
  isWhole: boolean
}

/**
 * Answers with all pages as NDJSON, no faster than they are taken; its last line says that it is the last. Rejects where the
 * store fails: with nothing answered yet, or with an answer that breaks off.
 */
export async function streamPages(response: Response, readPage: ReadPage, after: Page['next']): Promise<Streamed> {
  const streamed: Streamed = { count: 0, isWhole: false }
  let failure: unknown = null
  const begun = await readPage(after, PAGE)
  response.type(NDJSON)
  try {
    await pipeline(Readable.from(linesOf(), { objectMode: true, highWaterMark: 1 }), response)
    streamed.isWhole = true
  } catch {
    // Otherwise whoever asked has gone.
    if (failure !== null) throw failure
  }
  return streamed

  async function* linesOf(): AsyncGenerator<string> {
    let page = begun
    for (;;) {
      // The next one is read while this one is on its way.
      const coming = page.next === null ? null : readPage(page.next, PAGE)
      coming?.catch((error: unknown) => {
        failure = error
      })
      streamed.count += page.items.length
      if (page.items.length > 0) yield page.items.map((item) => `${JSON.stringify(item)}\n`).join('')
      if (coming === null) break
      page = await coming
    }
    yield `${JSON.stringify({ end: true, count: streamed.count })}\n`
  }
}
