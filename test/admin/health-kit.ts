import { fileURLToPath } from 'node:url'
import type { AdapterInstance } from '../../src/adapters/adapter.ts'
import type { HealthItem } from '../../src/domain/health/health.ts'
import type { TestHub } from '../hub.ts'

const GIVEN_INSTANCE = fileURLToPath(new URL('./given-instance.ts', import.meta.url))

export function by(instance: Omit<AdapterInstance, typeof Symbol.asyncDispose>, more: object = {}) {
  return { adapter: GIVEN_INSTANCE, instance, ...more }
}

/** What the hub says of itself that is not simply well. */
export async function toldBy(hub: TestHub): Promise<HealthItem[]> {
  const { body } = await hub.admin<{ items: HealthItem[] }>('health')
  return body.items.filter(({ state }) => state !== 'ok')
}

/** A platform that a hub of a test may ask. */
export function asking(baseUrl: string) {
  return { baseUrl, apiKey: 'api-key-of-the-tests', subscriptionKey: 'subscription-key-of-the-tests' }
}
