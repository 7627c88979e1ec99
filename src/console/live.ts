import { setTimeout as sleep } from 'node:timers/promises'
import type { Response } from 'express'
import type { Page } from './visit.ts'

/** Between two looks (ms). */
const EVERY = 5_000
/** The browser asks again after it: a reload of the config is not held up for long (ms). */
const LONGEST = 60_000
/** Of all tabs together; a browser asks again later. */
const MOST = 100

/** What changes by itself, and is no change. */
const AGES = /<time[^>]*>[^<]*<\/time>/g

interface Live {
  /** Null: the session is over. */
  look(): Promise<Page | null>
}

/** Sends a page's content as server-sent events: when it has changed, else a sign of life. */
export function createLive(stopping: AbortSignal) {
  let open = 0

  return async (response: Response, { look }: Live): Promise<void> => {
    if (open >= MOST || stopping.aborted) {
      response.status(503).set('Retry-After', '30').end()
      return
    }
    open += 1
    const closed = new AbortController()
    response.on('close', () => closed.abort())
    const signal = AbortSignal.any([stopping, closed.signal, AbortSignal.timeout(LONGEST)])
    response.status(200).set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }).flushHeaders()
    try {
      let before = ''
      while (!signal.aborted) {
        const page = await look()
        if (page === null) break
        const body = String(await page.body)
        const content = body.replace(AGES, '')
        if (content === before) response.write('event: same\ndata:\n\n')
        else response.write(`event: page\ndata: ${JSON.stringify(body)}\n\n`)
        before = content
        await sleep(EVERY, undefined, { signal }).catch(() => {})
      }
    } finally {
      open -= 1
      response.end()
    }
  }
}
