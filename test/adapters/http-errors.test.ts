import { describe, expect, test } from 'vitest'
import { createAnswerCheck } from '../../src/adapters/shared/http-errors.ts'
import { outcomeOf } from '../../src/domain/queue/outcome.ts'
import type { HttpRequest, HttpResult } from '../../src/lib/http/http.ts'

const check = createAnswerCheck({ destination: 'shop', secrets: ['topsecret'] })
const REQUEST: HttpRequest = { method: 'POST', origin: 'https://shop.example', path: '/orders?key=topsecret' }

function answered(status: number, body = '', headers = {}): HttpResult {
  return { type: 'answered', answer: { status, headers, body: Buffer.from(body), complete: true } }
}

/** The decision that comes of a result, as the worker sees it. */
function decided(result: HttpResult): ReturnType<typeof outcomeOf> {
  try {
    check(REQUEST, result)
  } catch (error) {
    return outcomeOf(error)
  }
  return { type: 'delivered', links: [], note: null }
}

function expected(status: number): string {
  if (status < 300) return 'delivered'
  if ([429, 502, 503, 504].includes(status)) return 'retry destination'
  if ([408, 409, 425].includes(status) || status >= 500) return 'retry item'
  return 'dead'
}

describe('the answer of a request', () => {
  test('Every status from 200 to 599 has the outcome of the design', () => {
    for (let status = 200; status < 600; status++) {
      const outcome = decided(answered(status))
      const found = outcome.type === 'retry' ? `retry ${outcome.scope}` : outcome.type
      expect([status, found]).toEqual([status, expected(status)])
      if ('code' in outcome) expect(outcome.code).toBe(`http-${status}`)
    }
  })

  test('When it succeeds, then the answer is given', () => {
    expect(check(REQUEST, answered(201, '{"id":1}')).body.toString()).toBe('{"id":1}')
  })

  test('When it refuses, then the message says who, what and why: its code, or what kind of text came', () => {
    const line = 'shop: POST https://shop.example/orders answered 404 Not Found'
    const why = (body: string, headers = {}) => decided(answered(404, body, headers))
    expect(why('{"code":"no_such_order","message":"Kari Nordmann has none"}')).toMatchObject({
      why: `${line}: no_such_order`,
    })
    expect(why('<p>Kari Nordmann</p>', { 'content-type': 'text/html; charset=utf-8' })).toMatchObject({
      why: `${line}: text/html, 20 bytes`,
    })
    expect(why('')).toMatchObject({ why: line })
    expect(decided(answered(599, ' \n'))).toMatchObject({
      why: 'shop: POST https://shop.example/orders answered 599: 2 bytes',
    })
  })

  test('When it says a secret back, then the message does not', () => {
    expect(decided(answered(400, '{"code":"no-topsecret-here"}'))).toMatchObject({
      why: expect.stringMatching(/: no-\*\*\*-here$/),
    })
    const half: HttpResult = {
      ...answered(400),
      type: 'cut',
      fault: { code: 'X', message: 'topsecret' },
    } as HttpResult
    expect(JSON.stringify(decided(half))).not.toContain('topsecret')
  })

  test.each([
    ['/new?key=topsecret', 'https://shop.example/new'],
    ['https://me:topsecret@new.example/orders#x', 'https://new.example/orders'],
    ['//new.example/topsecret', 'https://new.example/***'],
    ['/login/kari@example.com', 'https://shop.example/…'],
    ['/of/+4791234567', 'https://shop.example/…'],
  ])('When it redirects to %s, then the message says what to put in config', (location, target) => {
    const why = `shop: POST https://shop.example/orders answered 301 Moved Permanently to ${target}. Redirects are not followed: put the final URL in config.`
    expect(decided(answered(301, '', { location }))).toMatchObject({ type: 'dead', why })
  })

  test('When it names the next try, then that is kept, for an answer that broke off as well', () => {
    const headers = { 'retry-after': '60' }
    const cut = { ...answered(503, '', headers), type: 'cut', fault: { code: 'X', message: 'x' } } as HttpResult
    for (const result of [answered(503, '', headers), answered(500, '', headers), cut]) {
      const outcome = decided(result)
      expect(outcome.type === 'retry' && (outcome.notBefore ?? 0) > Date.now() + 50_000).toBe(true)
    }
  })
})

describe('a request without a full answer', () => {
  const fault = { code: 'ECODE', message: 'what happened' }

  test.each([
    ['unsent', 'retry', 'unreachable', 'was not sent: what happened (ECODE)'],
    ['unanswered', 'unknown', 'no-answer', 'was sent, but no answer came: what happened (ECODE)'],
  ] as const)('When it is %s, then the outcome is %s', (type, outcome, code, words) => {
    expect(decided({ type, fault })).toMatchObject({ type: outcome, code, why: expect.stringContaining(words) })
  })

  test('When undici refuses to write it, then it is dead: it will never be written', () => {
    const refused: HttpResult = {
      type: 'unsent',
      fault: { code: 'UND_ERR_INVALID_ARG', message: 'invalid x-a header' },
    }
    expect(decided(refused)).toMatchObject({ type: 'dead', code: 'invalid-request' })
  })
})
