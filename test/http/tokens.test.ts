import { expect, test } from 'vitest'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, busTo, keptIn, OLD_WEBHOOK_TOKEN, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'

test('when a token is wrong or missing, then the answer is 401 that says what to do, and nothing is kept', async () => {
  await using hub = await startTestHub()
  const wrong = [null, '', 'wrong', WEBHOOK_TOKEN.slice(0, -1), `${WEBHOOK_TOKEN}x`, ADMIN_TOKEN, 'x'.repeat(2_000)]
  for (const token of wrong) {
    const answer = await hub.post('SaleCreated', sale(), { token })
    expect(answer).toMatchObject({ status: 401, body: { status: 401, code: 'wrong-token', title: 'Wrong token' } })
    expect(answer.body.detail).toContain('platform.webhooks.tokens')
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
  }
  expect(keptIn(hub)).toEqual([])
})

test('when the token is given twice, in a header, or in the body, then it does not count', async () => {
  await using hub = await startTestHub()
  const twice = `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}&token=${WEBHOOK_TOKEN}`
  expect(await hub.ask(twice, { method: 'POST', body: '{}' })).toMatchObject({ status: 401 })
  const headers = { authorization: `Bearer ${WEBHOOK_TOKEN}`, token: WEBHOOK_TOKEN }
  expect(await hub.post('SaleCreated', `token=${WEBHOOK_TOKEN}`, { token: null, headers })).toMatchObject({
    status: 401,
  })
})

test('when two tokens are live, then both are good', async () => {
  await using hub = await startTestHub()
  for (const [index, token] of [WEBHOOK_TOKEN, OLD_WEBHOOK_TOKEN].entries())
    expect(await hub.post('StockMovementCreated', { movementId: index }, { token })).toMatchObject({ status: 202 })
})

test('when somebody guesses on, then the answer becomes 429, and a right token from there is still taken', async () => {
  await using hub = await startTestHub()
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, n) => hub.post('SaleCreated', sale(), { token: `guess ${n}` })),
  )
  const statuses = guesses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(30)
  const refused = guesses.find(({ status }) => status === 429)
  expect(refused).toMatchObject({ body: { code: 'too-many-wrong-tokens' }, headers: { 'retry-after': '60' } })
  expect(refused?.headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(await hub.post('SaleCreated', sale())).toMatchObject({ status: 202 })
  expect((await hub.admin('status')).status).toBe(200)
  for (let n = 0; n < 50; n++) expect((await hub.post('SaleCreated', sale())).status).toBe(200)
})

test('when webhooks come and fail in any way, then no token is in a log line, an answer, or what is kept', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({
    destinations: { bus: busTo(sink.url) },
    config: { server: { maxBody: '4kb' } },
  })
  const secrets = {
    referer: `https://hub/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`,
    'x-forwarded-uri': `/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`,
    'x-original-url': `/webhooks/SaleCreated?x=1&token=${WEBHOOK_TOKEN}`,
  }
  const answers = [
    await hub.post('SaleCreated', sale(), { headers: secrets }),
    await hub.post('SaleCreated', 'broken', { headers: secrets }),
    await hub.post('SaleCreated', 'x'.repeat(5_000), { headers: secrets }),
    await hub.post('SaleCreated', sale({ total: 1 })),
    await hub.post('SaleCreated', sale(), { token: `${WEBHOOK_TOKEN}1` }),
    await hub.post('%E0%A4%A', sale()),
    await hub.ask(`/webhooks?token=${WEBHOOK_TOKEN}`),
    await hub.ask(`/nowhere?token=${WEBHOOK_TOKEN}`),
    await hub.admin('events'),
    await hub.admin('status'),
    ...(await Promise.all([1, 2, 3].map((id) => hub.admin(`events/${id}`)))),
  ]
  await sink.until(1)

  for (const { text, headers } of answers) expect(`${text}${JSON.stringify(headers)}`).not.toContain(WEBHOOK_TOKEN)
  expect(JSON.stringify(hub.lines)).not.toContain(WEBHOOK_TOKEN)
  expect(JSON.stringify(sink.received)).not.toContain(WEBHOOK_TOKEN)
  // One of an unreadable name, too.
  expect(keptIn(hub)).toHaveLength(5)
  for (const { body, ...kept } of keptIn(hub)) expect(`${body} ${JSON.stringify(kept)}`).not.toContain(WEBHOOK_TOKEN)
})
