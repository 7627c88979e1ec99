import { expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { schemasJob } from '../../src/jobs/subscriptions/schemas.ts'
import { changesOf, type SchemaVersion } from '../../src/platform/payloads/schema/match.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { startPlatformServer } from '../platform/server.ts'
import { createRunner, createTestLogger } from './engine/run.ts'

/* What the fields of webhooks are called is asked of the platform itself (spec, Events 7). */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const GIFT_CARD = 'GiftCardTransactionCreated'
const SCHEMA = `/api/WebhooksTypes/${GIFT_CARD}/schema`

function clientOf(baseUrl: string) {
  return createPlatform({ preset: 'spec', baseUrl, ...KEYS })
}

function schemaOf(...names: string[]) {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
}

const WHOLE = ['transactionId', 'createdDateTime', 'currency', 'storeExtId']

test('When the sandbox is asked, then each of its kinds has a schema, and all of it is what the hub looks for', async () => {
  await using sandbox = await startPlatform(KEYS)
  await using platform = clientOf(sandbox.url)
  const { logger, lines } = createTestLogger()
  const runner = createRunner(schemasJob({ platform, mappings: {}, logger }))
  expect(await runner.run()).toBe('27 of 27 kinds have a schema; with all that cannot be done without')
  expect(lines).toEqual([])
})

test('When a schema calls a field otherwise, then it is said with what config needs; config names it, and it is not said any more', async () => {
  await using server = await startPlatformServer()
  server.play({ body: [GIFT_CARD, 'SomethingNewCreated'] }, '/api/WebhooksTypes')
  server.play({ body: schemaOf(...WHOLE, 'value') }, SCHEMA)
  await using platform = clientOf(server.url)
  const { logger, lines } = createTestLogger()
  const note = await createRunner(schemasJob({ platform, mappings: {}, logger })).run()
  expect(note).toBe(`1 of 1 kinds have a schema; which calls otherwise: ${GIFT_CARD}.amount`)
  expect(lines).toMatchObject([
    {
      msg: 'schema.differs',
      kind: GIFT_CARD,
      field: 'amount',
      looked: ['amount'],
      todo: `write platform.payloads.${GIFT_CARD}.amount: <where it is>`,
    },
  ])
  const named = { [GIFT_CARD]: { amount: 'value' } }
  expect(await createRunner(schemasJob({ platform, mappings: named, logger })).run()).toContain('with all that')
  expect(lines).toHaveLength(1)
})

test('When the platform shows no schemas, or something else, then that is said, and what was known stays', async () => {
  await using server = await startPlatformServer()
  server.play({ body: [GIFT_CARD] }, '/api/WebhooksTypes')
  server.play([{ body: schemaOf(...WHOLE, 'amount') }, { status: 404 }, { body: ['what', 'is', 'this'] }], SCHEMA)
  await using platform = clientOf(server.url)
  const { logger } = createTestLogger()
  const runner = createRunner(schemasJob({ platform, mappings: {}, logger }))
  await runner.run()
  const known = runner.state
  for (const _ of ['not there', 'no schema']) {
    expect(await runner.run()).toBe('the platform shows no schema of its 1 kinds')
    expect(runner.state).toEqual(known)
  }
})

test('When a schema changes, then each version is kept with when it was seen first, and one that stays is one', async () => {
  await using server = await startPlatformServer()
  server.play({ body: [GIFT_CARD] }, '/api/WebhooksTypes')
  const [first, second] = [schemaOf(...WHOLE, 'amount'), schemaOf(...WHOLE, 'value')]
  server.play([{ body: first }, { body: first }, { body: second }], SCHEMA)
  await using platform = clientOf(server.url)
  const { logger, lines } = createTestLogger()
  let now = 1_000
  const runner = createRunner(schemasJob({ platform, mappings: {}, logger }), () => now)
  for (; now <= 3_000; now += 1_000) await runner.run()
  const { [GIFT_CARD]: kept = [] } = (runner.state as { kinds: Record<string, SchemaVersion[]> }).kinds
  expect(kept.map(({ since }) => since)).toEqual([1_000, 3_000])
  expect(changesOf(kept)).toMatchObject([{ at: 3_000, gone: ['amount'], added: ['value'], retyped: [] }])
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'schema.changed', kind: GIFT_CARD, change: 'amount gone; value new' }),
  )
})
