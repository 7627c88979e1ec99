import { Router } from 'express'
import type { Metric } from '../domain/health/hub-metrics.ts'
import { type StorageSnapshot, storageHealth } from '../domain/health/storage-health.ts'
import { READ_METRICS } from '../domain/scope.ts'
import { StorageUnavailableError } from '../domain/values/errors.ts'
import type { createApiKeyCheck } from './api-key.ts'
import { answerProblem, problemOf } from './problem.ts'

const METRICS_CACHE_MS = 5_000

export function createMetrics(
  check: ReturnType<typeof createApiKeyCheck>,
  look: () => Promise<Metric[]>,
  now = () => performance.now(),
): Router {
  const router = Router()
  const lookNow = cached(look, METRICS_CACHE_MS, now)
  router.get('/metrics', check(READ_METRICS), async (_, response) => {
    const text = metricsText(await lookNow())
    response.set('Content-Type', METRICS_TYPE).set('Cache-Control', 'no-store').send(text)
  })
  return router
}

function cached<T>(look: () => Promise<T>, fresh: number, now: () => number): () => Promise<T> {
  let asked: { at: number; answer: Promise<T> } | null = null
  return () => {
    if (asked === null || now() - asked.at >= fresh) asked = { at: now(), answer: look() }
    return asked.answer
  }
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('')
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
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
  const lookNow = cached(look, HEALTH_CACHE_MS, now)
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
