import { Router } from 'express'
import type { Metric } from '../domain/health/hub-metrics.ts'
import { type StorageSnapshot, storageHealth } from '../domain/health/storage-health.ts'
import { READ_METRICS } from '../domain/scope.ts'
import { StorageUnavailableError } from '../domain/values/errors.ts'
import type { createApiKeyCheck } from './api-key.ts'
import { answerProblem, problemOf } from './problem.ts'

/** Storage is read behind a scrape, once a second at most; only one after a longer pause waits for it. */
const METRICS_AGES = { fresh: 1_000, stale: 120_000 }

/** `read` asks the storage, `measure` prints what it said beside what this process counts. */
export function createMetrics<Read>(
  check: ReturnType<typeof createApiKeyCheck>,
  read: () => Promise<Read>,
  measure: (read: Read) => readonly Metric[],
  now = () => performance.now(),
): Router {
  const router = Router()
  const readNow = cached(read, METRICS_AGES, now)
  router.get('/metrics', check(READ_METRICS), async (request, response) => {
    const format = OPEN_METRICS.test(request.get('accept') ?? '') ? 'openmetrics' : 'prometheus'
    const text = metricsText(measure(await readNow()), format)
    response.set('Content-Type', TYPES[format]).set('Cache-Control', 'no-store').set('Vary', 'Accept').send(text)
  })
  return router
}

/** As max-age and stale-while-revalidate of HTTP (RFC 5861), in ms; one asks at a time. */
function cached<T>(
  look: () => Promise<T>,
  { fresh, stale = 0 }: { fresh: number; stale?: number },
  now: () => number,
): () => Promise<T> {
  let known: { at: number; answer: Promise<T> } | null = null
  let asking: Promise<T> | null = null

  function ask(): Promise<T> {
    if (asking !== null) return asking
    const asked = { at: now(), answer: look() }
    asking = asked.answer
    const ended = () => {
      asking = null
    }
    void asked.answer.then(() => {
      known = asked
      ended()
    }, ended)
    return asked.answer
  }

  return () => {
    const age = known === null ? Infinity : now() - known.at
    if (known === null || age >= fresh + stale) return ask()
    // After the answer went out.
    if (age >= fresh) setImmediate(ask)
    return known.answer
  }
}

/** Prometheus asks for the newer format where it takes both. */
const OPEN_METRICS = /application\/openmetrics-text(?!\s*;\s*version=0)/

const TYPES = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** In OpenMetrics a counter is named without `_total`, help has no bare quotes, and the end is marked. */
export function metricsText(metrics: readonly Metric[], format: keyof typeof TYPES = 'prometheus'): string {
  const isOpen = format === 'openmetrics'
  const lines = metrics.flatMap(({ name, help, type, samples }) => {
    const family = isOpen && type === 'counter' ? name.replace(/_total$/, '') : name
    return [
      `# HELP ${family} ${isOpen ? escaped(help) : help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${family} ${type}`,
      ...samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${labelsText(labels)} ${value}`),
    ]
  })
  return [...lines, ...(isOpen ? ['# EOF'] : []), ''].join('\n')
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return all.length === 0 ? '' : `{${all.join(',')}}`
}

const HEALTH_CACHE_MS = 1_000

/** Open to all, so the storage is asked once a second at most. */
export function createHealth(
  look: () => Promise<StorageSnapshot>,
  now: () => number = () => performance.now(),
): Router {
  const router = Router()
  const lookNow = cached(look, { fresh: HEALTH_CACHE_MS }, now)
  router.get('/health', (_, response) => {
    response.json({ live: '/health/live', ready: '/health/ready' })
  })
  router.get('/health/live', (_, response) => {
    response.json({ status: 'live' })
  })
  router.get('/health/ready', async (_, response) => {
    const { state, means } = storageHealth(await lookNow())
    if (state === 'ok') response.json({ status: 'ready' })
    else answerProblem(response, problemOf(new StorageUnavailableError(means)))
  })
  return router
}
