import { expect, test } from 'vitest'
import type { EndpointUse, StoredEndpointUse } from '../../src/domain/health/endpoint-use.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createEndpointUseLog } from '../../src/platform/http/operation-log.ts'
import { eventually } from '../eventually.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const READ: EndpointUse = {
  operation: 'orders.read',
  address: 'GET https://platform.example/api/Omnichannel',
  came: 'worked',
}
const NOT_FOUND: EndpointUse = { ...READ, came: 'http-404' }

/** The book over what a store has of it; `fails`: how many writes are refused first. */
function given({ kept = [] as StoredEndpointUse[], fails = 0 } = {}) {
  const written: EndpointUse[] = []
  let asked = 0
  const storage = {
    async endpointUses() {
      asked += 1
      return kept
    },
    async noteEndpointUse(use: EndpointUse) {
      if (fails-- > 0) throw new Error('the disk is full')
      written.push(use)
    },
  }
  const book = createEndpointUseLog(storage, { now: () => NOW }, createLogger('silent'))
  return { book, written, asked: () => asked }
}

test('when the same comes again and again, then it is written once; what is otherwise is written, too', () => {
  const { book, written } = given()
  for (const use of [NOT_FOUND, NOT_FOUND, READ, READ]) book.note(use)
  expect(written).toEqual([NOT_FOUND, READ])
})

test('when an operation has worked once, then a failure of it is nothing new; at another address it is', () => {
  const { book, written } = given()
  const moved = { ...NOT_FOUND, address: 'GET https://other.example/api/Omnichannel' }
  for (const use of [READ, NOT_FOUND, moved]) book.note(use)
  expect(written).toEqual([READ, moved])
})

test('when it could not be written, then the next one is written in its place', async () => {
  const { book, written } = given({ fails: 1 })
  book.note(READ)
  await eventually(() => {
    book.note(READ)
    return written.length === 1
  })
})

test('when the store knows that it has worked, then it is asked once; another address is unknown, a failure stays one', async () => {
  const kept = { ...READ, firstAt: NOW, first: 'worked', since: NOW }
  const { book, asked } = given({ kept: [kept, { ...kept, operation: 'orders.delete', came: 'http-404' }] })
  expect([await book.cameOf(READ), await book.cameOf(READ), asked()]).toEqual(['worked', 'worked', 1])
  expect(await book.cameOf({ ...READ, address: 'GET https://other.example/' })).toBe(null)
  expect(await book.cameOf({ ...READ, operation: 'orders.delete' })).toBe('http-404')
  expect(await book.cameOf({ ...READ, operation: 'orders.create' })).toBe(null)
})

test('what this hub has just met is known before it is written', async () => {
  const { book } = given()
  book.note(NOT_FOUND)
  expect(await book.cameOf(NOT_FOUND)).toBe('http-404')
  book.note(READ)
  expect(await book.cameOf(READ)).toBe('worked')
})
