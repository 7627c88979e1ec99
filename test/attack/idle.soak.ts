import { expect, test } from 'vitest'
import { startAttackedHub } from './hub.ts'
import { askTwice, PROXIES_KEEP } from './idle.ts'

test(`when nobody used a connection for ${PROXIES_KEEP} s, then a webhook on it is taken`, async () => {
  await using hub = await startAttackedHub()

  const [, later] = await askTwice({ port: hub.port, path: hub.webhookPath('SaleCreated') }, PROXIES_KEEP)
  expect(later).toMatch(/^HTTP\/1\.1 202 /)
})
