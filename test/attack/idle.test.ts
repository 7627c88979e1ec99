import { expect, test } from 'vitest'
import { startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { askTwice, PROXIES_KEEP } from './idle.ts'

test('when a webhook is answered, then the answer says that its connection is kept longer than proxies keep it', async () => {
  await using hub = await startTestHub()
  const door = { port: Number(new URL(hub.url).port), path: `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}` }

  for (const answer of await askTwice(door, 0)) {
    const kept = Number(/\r\nkeep-alive: timeout=(\d+)/i.exec(answer)?.[1])
    expect(answer).toMatch(/^HTTP\/1\.1 202 /)
    expect(kept).toBeGreaterThan(PROXIES_KEEP)
  }
})
