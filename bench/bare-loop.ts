import { Pool } from 'undici'
import { now } from './wire/clock.ts'
import { saleTemplate } from './wire/template.ts'
import { answerParent } from './worker.ts'

export interface BareLoopJob {
  port: number
  connections: number
  warmUp: number
  count: number
}

export interface BareLoopResult {
  perSecond: number
}

/** What delivering costs at least: as many loops as connections, each posting the next sale as soon as the last is answered. */
answerParent<BareLoopJob, BareLoopResult>(async ({ port, connections, warmUp, count }) => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections })
  let next = 0
  await postUntil(warmUp)
  const startedAt = now()
  await postUntil(warmUp + count)
  const seconds = (now() - startedAt) / 1000
  await pool.close()
  return { perSecond: count / seconds }

  async function postUntil(end: number): Promise<void> {
    await Promise.all(Array.from({ length: connections }, () => loop(end)))
  }

  async function loop(end: number): Promise<void> {
    const sale = saleTemplate()
    while (next < end) {
      const event = next++
      sale.set(event)
      const headers = { 'content-type': 'application/json', 'webhook-id': `bare-${event}` }
      const { body } = await pool.request({ method: 'POST', path: '/', headers, body: sale.buffer })
      await body.dump()
    }
  }
})
