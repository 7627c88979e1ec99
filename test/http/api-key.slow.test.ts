import { join } from 'node:path'
import express from 'express'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { hashSecret, type Scope, writeKey } from '../../src/domain/scope.ts'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import { apiKeyOf, createApiKeyCheck } from '../../src/http/api-key.ts'
import { problemHandler } from '../../src/http/problem.ts'
import { createLogger } from '../../src/lib/logger.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createTestClock } from '../clock.ts'
import { listen } from '../listen.ts'
import { openFile, temporaryFolder } from '../storage/sqlite/file.ts'

const ID = '0123456789abcdef'
const SECRET = 'a'.repeat(43)
const KEY = writeKey(ID, SECRET)

test('When a key may submit to a resource, then the request goes on, and knows whose it is', async () => {
  await using the = await serve()
  const answer = await the.post('prices', `Bearer ${KEY}`)
  expect(answer).toMatchObject({ status: 200, body: { id: ID, system: 'erp', scopes: ['products', 'prices'] } })
  expect(JSON.stringify(answer)).not.toContain(hashSecret(SECRET))
  expect((await the.storage.apiKey(ID))?.lastUsedAt).not.toBeNull()
})

test('When a key is missing, wrong or revoked, then the answer is 401 that says what to do', async () => {
  await using the = await serve()
  const wrong = [writeKey(ID, 'b'.repeat(43)), writeKey('f'.repeat(16), SECRET), SECRET, `${KEY}x`]
  for (const given of [undefined, KEY, ...wrong.map((key) => `Bearer ${key}`)]) {
    const { status, type, body } = await the.post('prices', given)
    expect({ status, type, body }).toMatchObject({ status: 401, body: { code: 'wrong-token' } })
    expect(type).toMatch(/^application\/problem\+json/)
  }
  expect((await the.storage.apiKey(ID))?.lastUsedAt).toBeNull()
  await the.storage.revokeApiKey(ID, 'Kari', 1)
  expect(await the.post('prices', `Bearer ${KEY}`)).toMatchObject({ status: 401 })
})

test('When two keys of a system live, then both are good, and revoking one leaves the other', async () => {
  await using the = await serve()
  const newer = { id: 'f'.repeat(16), secret: 'c'.repeat(43) }
  await the.add(newer.id, newer.secret)
  await the.storage.revokeApiKey(ID, 'Kari', 1)
  expect(await the.post('prices', `Bearer ${KEY}`)).toMatchObject({ status: 401 })
  expect(await the.post('prices', `Bearer ${writeKey(newer.id, newer.secret)}`)).toMatchObject({ status: 200 })
})

test('When a key was not made for a resource, then the answer is 403 that says for which it was', async () => {
  await using the = await serve()
  const { status, body } = await the.post('sales', `Bearer ${KEY}`)
  expect({ status, body }).toMatchObject({ status: 403, body: { code: 'key-may-not' } })
  expect(JSON.stringify(body)).toContain('lacks the scope sales; it has products, prices')
  expect(JSON.stringify(body)).not.toContain(SECRET)
})

test('When somebody guesses on, then the answer becomes 429, over all resources, and a right key is still good', async () => {
  await using the = await serve()
  const statuses: number[] = []
  for (let guess = 0; guess < 40; guess += 1)
    statuses.push((await the.post(guess % 2 ? 'prices' : 'sales', 'Bearer wrong')).status)
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401))
  expect(statuses.slice(30)).toEqual(Array(10).fill(429))
  expect(await the.post('prices', `Bearer ${KEY}`)).toMatchObject({ status: 200 })
})

test('When the use of a key cannot be written, then the request goes on, and the log says so without the key', async () => {
  await using the = await serve(() => ({
    apiKeyUsed: () => Promise.reject(new StorageUnavailableError('The disk is full.')),
  }))
  expect(await the.post('prices', `Bearer ${KEY}`)).toMatchObject({ status: 200 })
  expect(the.log()).toContain('api-key.use-not-kept')
  expect(the.log()).not.toContain(SECRET)
})

describe('when the store cannot be asked', () => {
  const scopes = ['prices', 'read:metrics'] satisfies Scope[]
  const DAY = 24 * 3_600_000

  /** A hub whose store has a key for both, and can be away: it refuses, or says nothing. */
  async function away() {
    let how: 'here' | 'refuses' | 'is silent' = 'here'
    const clock = createTestClock()
    const the = await serve(
      (storage) => ({
        async apiKey(id) {
          if (how === 'refuses') throw new StorageUnavailableError('PostgreSQL cannot be used now.')
          return how === 'here' ? await storage.apiKey(id) : await new Promise<never>(() => {})
        },
      }),
      { clock, scopes },
    )
    const ask = async (scope: Scope, key = KEY) => (await the.post(scope, `Bearer ${key}`)).status
    return {
      ...the,
      clock,
      ask,
      be(next: typeof how) {
        how = next
      },
    }
  }

  test('When a key was good for metrics lately, then it is good for them alone, for a day', async () => {
    await using the = await away()
    the.be('refuses')
    expect(await the.ask('read:metrics')).toBe(503)
    the.be('here')
    expect(await the.ask('read:metrics')).toBe(200)
    the.be('refuses')
    expect(await the.ask('read:metrics')).toBe(200)
    expect(await the.ask('prices')).toBe(503)
    expect(await the.ask('read:metrics', writeKey(ID, 'b'.repeat(43)))).toBe(401)
    expect(await the.ask('read:metrics', writeKey('f'.repeat(16), SECRET))).toBe(503)
    expect(the.log()).not.toContain('api-key.use-not-kept')
    the.clock.advance(DAY + 1)
    expect(await the.ask('read:metrics')).toBe(503)
  })

  test('When it says nothing, then who asks for metrics does not wait for it', async () => {
    await using the = await away()
    expect(await the.ask('read:metrics')).toBe(200)
    the.be('is silent')
    const answer = the.ask('read:metrics')
    const often = setInterval(() => the.clock.advance(500), 10)
    try {
      expect(await answer).toBe(200)
    } finally {
      clearInterval(often)
    }
  })

  test('When a key is revoked, then it is good for nothing as soon as the store has said so, also while it is away again', async () => {
    await using the = await away()
    expect(await the.ask('read:metrics')).toBe(200)
    await the.storage.revokeApiKey(ID, 'Kari', 1)
    expect(await the.ask('read:metrics')).toBe(401)
    the.be('refuses')
    expect(await the.ask('read:metrics')).toBe(401)
  })
})

async function serve(
  broken: (storage: Storage) => Partial<Storage> = () => ({}),
  { clock = createTestClock(), scopes = ['prices', 'sales'] as readonly Scope[] } = {},
) {
  const folder = temporaryFolder()
  const storage = await openFile(join(folder.path, 'store.db'))
  const add = (id: string, secret: string) =>
    storage.createApiKey({
      id,
      system: 'erp',
      scopes: ['products', 'prices', ...(scopes.includes('read:metrics') ? (['read:metrics'] as const) : [])],
      secretHash: hashSecret(secret),
      createdAt: 1,
      createdBy: 'Kari',
      lastUsedAt: null,
      revokedAt: null,
    })
  await add(ID, SECRET)
  const log: string[] = []
  const logger = createLogger('info', { write: (line) => void log.push(line) })
  const may = createApiKeyCheck({ storage: { ...storage, ...broken(storage) }, refused: () => {}, clock, logger })
  const app = express()
  for (const scope of scopes)
    app.post(`/v1/${scope}`, may(scope), (_, response) => void response.json(apiKeyOf(response)))
  app.use(problemHandler(logger, clock))
  const server = await listen(app)
  const url = server.url

  return {
    storage,
    add,
    log: () => log.join(''),
    async post(scope: Scope, authorization?: string) {
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await request(`${url}/v1/${scope}`, { method: 'POST', headers })
      return { status: answer.statusCode, type: answer.headers['content-type'], body: await answer.body.json() }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
