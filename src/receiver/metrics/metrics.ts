import { Router } from 'express'
import { READ_METRICS } from '../../domain/access/scope.ts'
import type { Metric } from '../../domain/metrics/metric.ts'
import type { createApiKeyCheck } from '../api-key.ts'
import { METRICS_TYPE, metricsText } from './metrics-text.ts'

interface Options {
  check: ReturnType<typeof createApiKeyCheck>
  look: () => Promise<Metric[]>
  now?: () => number
}

/** An answer is good for so long: who asks more often gets the same one (milliseconds). */
const FRESH = 5_000

/** `GET /metrics`, for a monitoring system with a key of its own. */
export function createMetrics({ check, look, now = () => performance.now() }: Options): Router {
  const router = Router()
  let asked: { at: number; answer: Promise<Metric[]> } | null = null

  function lookNow(): Promise<Metric[]> {
    if (asked === null || now() - asked.at >= FRESH) asked = { at: now(), answer: look() }
    return asked.answer
  }

  router.get('/metrics', check(READ_METRICS), async (_, response) => {
    const text = metricsText(await lookNow())
    response.set('Content-Type', METRICS_TYPE).set('Cache-Control', 'no-store').send(text)
  })
  return router
}
