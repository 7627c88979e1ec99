import { describe, expect, test } from 'vitest'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { API_KEY, failureOf, givenAnswer, givenPlatform, SUBSCRIPTION_KEY } from './given.ts'
import type { PlatformServer } from './server.ts'

const event = { webhookId: 'w-1', webhookEventId: 'e-1' }

describe('reading', () => {
  test.each<[string, Parameters<PlatformServer['play']>[0], number, object | null]>([
    ['fails once', [{ status: 500 }, { body: [] }], 2, null],
    ['cuts the connection once', ['cut', { body: [] }], 2, null],
    ['fails on and on', { status: 503 }, 3, { name: 'RetryLaterError', code: 'http-503', scope: 'destination' }],
    [
      'names a time much later',
      { status: 429, headers: { 'retry-after': '120' } },
      1,
      { name: 'RetryLaterError', scope: 'destination', notBefore: expect.any(Number) },
    ],
    ['does not answer', 'inactivity', 1, { name: 'RetryLaterError', code: 'no-answer' }],
    ['answers 400', { status: 400 }, 1, { name: 'PermanentError', code: 'http-400' }],
    ['answers 401', { status: 401 }, 1, { name: 'PermanentError', code: 'http-401' }],
    ['redirects', { status: 307 }, 1, { name: 'PermanentError', code: 'http-307' }],
  ])('When the platform %s, then it is asked so often, and this comes of it', async (_, script, asked, failure) => {
    await using given = await givenAnswer(script, script === 'inactivity' ? { timeout: 100 } : {})
    const listing = given.platform.stores.list()
    if (failure === null) expect((await listing).rows).toEqual([])
    else expect(await failureOf(listing)).toMatchObject(failure)
    expect(given.server.asked).toHaveLength(asked)
  })

  test('When it is to come back in a while, then it waits as long, not less', async () => {
    const clock = createTestClock()
    await using given = await givenAnswer([{ status: 429, headers: { 'retry-after': '4' } }, { body: [] }], { clock })
    let done = false
    const begun = clock.now()
    const listing = given.platform.stores.list().finally(() => {
      done = true
    })
    await eventually(() => expect(given.server.asked).toHaveLength(1))
    await eventually(() => {
      clock.advance(100)
      return done
    })
    expect((await listing).rows).toEqual([])
    expect(clock.now() - begun).toBeGreaterThanOrEqual(4_000)
  })

  test('When the caller gives up while the platform is thinking, then it ends at once', async () => {
    await using given = await givenAnswer('inactivity')
    const giveUp = new AbortController()
    const listing = failureOf(given.platform.stores.list(giveUp.signal))
    await eventually(() => expect(given.server.asked).toHaveLength(1))
    giveUp.abort()
    expect(await listing).toMatchObject({ name: 'RetryLaterError' })
    expect(given.server.asked).toHaveLength(1)
  })

  test.each([
    ['HTML', '<!DOCTYPE html><p>Maintenance of Ola Nordmann'],
    ['XML', '<?xml version="1.0"?><feed>Ola Nordmann</feed>'],
    ['bytes that are not JSON', '[{"Name":"Ola Nordmann"'],
    ['nothing', ''],
  ])('When the answer is %s, then it says so, and shows nothing of it', async (what, body) => {
    await using given = await givenAnswer({ body })
    const failure = await failureOf(given.platform.stores.list())
    expect(failure).toMatchObject({ name: 'PermanentError', code: 'not-json', message: expect.stringContaining(what) })
    expect(failure.message).not.toContain('Nordmann')
  })

  test('When the answer is larger than what is read, then it says so instead of half of it', async () => {
    await using given = await givenPlatform({ maxAnswer: 1_000 })
    given.server.play([
      { body: JSON.stringify([{ StoreId: 1, StoreName: 'x'.repeat(900) }]) },
      { body: `[${' '.repeat(999)}]` },
    ])
    expect((await given.platform.stores.list()).rows).toHaveLength(1)
    expect(await failureOf(given.platform.stores.list())).toMatchObject({ code: 'answer-too-large' })
  })
})

describe('changing', () => {
  test.each([
    ['cut', 'UnknownOutcomeError', 'no-answer'],
    [{ status: 500 }, 'RetryLaterError', 'http-500'],
    [{ status: 400 }, 'PermanentError', 'http-400'],
    [{ body: '<html>Welcome</html>' }, 'UnknownOutcomeError', 'not-json'],
    [{ body: 0 }, 'PermanentError', 'refused'],
    [{ body: '"-1"' }, 'PermanentError', 'refused'],
  ] as const)('When the platform answers %j, then it is asked once: %s', async (reply, name, code) => {
    await using given = await givenAnswer(reply)
    expect(await failureOf(given.platform.events.resend(event))).toMatchObject({ name, code })
    expect(given.server.asked).toHaveLength(1)
  })

  test.each([{ body: 'Ok' }, { body: '"Ok"' }, { body: 17 }, { status: 204 }, { body: { id: 'x' } }, { body: '' }])(
    'When the platform answers %j, then that is a success',
    async (reply) => {
      await using given = await givenAnswer(reply)
      await given.platform.events.resend(event)
    },
  )

  test.each([
    { success: false, message: 'no such stock' },
    { Success: 'False' },
    { isSuccess: 0 },
    {
      errors: { items: ['no such GTIN'] },
      status: 400,
      traceId: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
    },
    { error: 'closed' },
    { hasErrors: true },
  ])('When a success says %j, then nobody knows whether it was executed, whatever was to be changed', async (body) => {
    await using given = await givenAnswer({ body })
    const { stock, prices, orders, customers, corrections } = given.platform
    const items = [{ gtin: '0701', quantity: '3' }]
    const failures = await Promise.all(
      [
        stock.adjust({ stockId: '12', items }),
        prices.saveList({ name: 'Retail', prices: [{ gtin: '0701', price: '10' }] }),
        prices.saveCosts({ currency: 'NOK', costPrices: [{ gtin: '0701', price: '5' }] }),
        orders.delete('W-1'),
        customers.delete('1'),
        corrections.create({ extRef: 'C-1', stockId: '12', storeId: '42', lines: [{ gtin: '0701', qty: '-1' }] }),
      ].map(failureOf),
    )
    for (const failure of failures) expect(failure).toMatchObject({ name: 'UnknownOutcomeError', code: 'no-success' })
    for (const { message } of failures) expect(message).not.toMatch(/no such|closed|4bf92f/)
  })

  test.each([
    { success: true, errors: [] },
    { errors: {}, error: null, hasErrors: false },
    { error: '', errors: 0 },
    // An event of the log tells whether it came through before.
    { webhookEventId: '6fa459ea-ee8a-3ca4-894e-db77e160355e', success: false },
  ])('When a success says %j, then it is one', async (body) => {
    await using given = await givenAnswer({ body })
    await given.platform.events.resend(event)
    await given.platform.stock.adjust({ stockId: '12', items: [{ gtin: '0701', quantity: '3' }] })
  })
})

test('secrets: When a refusal says the request back, then no key and no token of a callback is in the error', async () => {
  await using given = await givenPlatform()
  const said = `no: ${API_KEY} ${SUBSCRIPTION_KEY} https://hub.example.com/webhooks/x?token=callback-token`
  given.server.play({ status: 400, body: said })
  const url = 'https://hub.example.com/webhooks/x?token=callback-token'
  const failures = [
    await failureOf(given.platform.webhooks.create({ event: 'x', url })),
    await failureOf(given.platform.webhooks.update({ id: 'w', event: 'x', url, storeId: null })),
  ]
  for (const { message } of failures) {
    expect(message).toMatch(/ answered 400 Bad Request: \d+ bytes$/)
    for (const secret of [API_KEY, SUBSCRIPTION_KEY, 'callback-token']) expect(message).not.toContain(secret)
  }
})
