import { expect, test } from 'vitest'
import type { Doctored } from '../../src/admin/health.ts'
import { RetryLaterError } from '../../src/domain/values/errors.ts'
import { asking as commands } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { startTestHub } from '../hub.ts'
import { by } from './health-kit.ts'

test('When the doctor asks a hub, then each system is looked at by its own adapter, for so long at most', async () => {
  const clock = createTestClock()
  const asked: string[] = []
  const signals: AbortSignal[] = []
  await using hub = await startTestHub({
    destinations: {
      shop: by({
        ports: {},
        async healthCheck() {
          asked.push('shop')
          return [
            { what: 'credentials', state: 'ok', says: 'Our key is known.' },
            { what: 'location', state: 'problem', says: 'It has no location 12.', todo: 'correct stocks.' },
          ]
        },
      }),
      erp: by({
        ports: {},
        healthCheck({ signal }) {
          asked.push('erp')
          signals.push(signal)
          return new Promise(() => {})
        },
      }),
      bus: by({
        ports: {},
        async healthCheck() {
          asked.push('bus')
          throw new RetryLaterError('bus: connect ECONNREFUSED', { code: 'unreachable', scope: 'destination' })
        },
      }),
      texts: by({ ports: {} }),
    },
    clock,
  })

  const answer = hub.admin<Doctored>('doctor')
  await eventually(() => expect(asked.toSorted()).toEqual(['bus', 'erp', 'shop']))
  clock.advance(10_000)
  const { body } = await answer

  expect(body.systems).toMatchObject([
    {
      destination: 'shop',
      found: [
        { what: 'credentials', state: 'ok' },
        { what: 'location', state: 'problem' },
      ],
    },
    { destination: 'erp', found: [{ state: 'problem', says: 'It did not answer within 10 s.' }] },
    {
      destination: 'bus',
      found: [{ state: 'problem', says: expect.stringContaining('It cannot be reached (connect ECONNREFUSED') }],
    },
    { destination: 'texts', found: null },
  ])
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
  expect(body.items.filter(({ state }) => state !== 'ok')).toEqual([])
})

test('When a destination is not down, then a probe shows what its adapter finds', async () => {
  await using hub = await startTestHub({
    destinations: {
      shop: by({
        ports: {},
        healthCheck: async () => [
          { what: 'credentials', state: 'unknown', says: 'It does not tell.', todo: 'look there.' },
        ],
      }),
    },
  })
  expect(await commands(hub)('probe', 'shop')).toMatchObject({
    code: 2,
    out: expect.stringMatching(
      /^shop is not down.*\nunknown {2}shop, credentials: It does not tell\. To do: look there\./,
    ),
  })
})
