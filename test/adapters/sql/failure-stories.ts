import { describe, expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { eventually } from '../../eventually.ts'
import { attempt } from '../contract.ts'
import { saleBooking } from './bookings.ts'
import { batchOf, book, failure, keysIn, messageOf, start, typeOf } from './kit.ts'
import { startSqlProxy } from './proxy.ts'
import type { SqlServer } from './servers.ts'

/** What the adapter makes of a database that is not there, or not any more, and of time that is over. */
export function sqlFailureStories(server: SqlServer): void {
  describe('outage', () => {
    test.each([
      ['the password is wrong', { username: 'nobody_of_this_name', password: 'wrong-pass-word' }, 'login-refused'],
      ['there is no such database', { pathname: '/no_such_database' }, 'no-database'],
      ['nobody listens', { port: '1' }, 'unreachable'],
    ])('when %s, then the destination waits for its operator', async (_, given, code) => {
      await using corner = await server.corner()
      await using at = start(corner, { url: Object.assign(new URL(corner.url), given).toString() })
      const failed = await failure(book(at.port, 'a', saleBooking()))
      expect(failed).toMatchObject({ name: 'RetryLaterError', scope: 'destination', code })
      expect(failed.message).toMatch(/^bi: (postgres|mysql|mariadb):\/\/127\.0\.0\.1:/)
      expect(`${failed.message} ${JSON.stringify(failed.cause)}`).not.toMatch(/wrong-pass-word|nobody_of/)
    })

    test('when nothing is answered after the commit, then the outcome is unknown, and find knows it', async () => {
      await using corner = await server.corner()
      await using proxy = await startSqlProxy(corner.url)
      await using at = start(corner, { url: proxy.url })
      await book(at.port, 'first', saleBooking())
      proxy.cutAfter('commit')
      const [lost] = await book(at.port, 'a', saleBooking())
      expect([lost instanceof UnknownOutcomeError, messageOf(lost)]).toEqual([true, expect.stringMatching(/^bi: /)])
      const call = { port: 'backOffice', method: 'bookSale', argument: saleBooking() } as const
      await eventually(async () => expect(await at.port.find(attempt({ key: 'a' }), call)).not.toBeNull())
      expect((await book(at.port, 'a', saleBooking())).map(typeOf)).toEqual(['written'])
      expect(await keysIn(corner, 'sales')).toEqual(['a', 'first'])
    })

    test('when the connection is lost before the commit, then nothing is kept, and the destination waits', async () => {
      await using corner = await server.corner()
      await using proxy = await startSqlProxy(corner.url)
      await using at = start(corner, { url: proxy.url })
      await book(at.port, 'first', saleBooking())
      proxy.cutAfter('sale_lines')
      const [lost] = await book(at.port, 'a', saleBooking())
      expect(lost).toMatchObject({ name: 'RetryLaterError', scope: 'destination', code: 'connection-lost' })
      expect(await keysIn(corner, 'sales')).toEqual(['first'])
    })

    test('when the server ends idle connections, then the next call has a new one', async () => {
      await using corner = await server.corner()
      await using proxy = await startSqlProxy(corner.url)
      await using at = start(corner, { url: proxy.url })
      await Promise.all(['a', 'b'].map((key) => book(at.port, key, saleBooking())))
      const before = proxy.connections
      proxy.cutAll()
      const [next] = await book(at.port, 'c', saleBooking())
      expect([before > 0, typeOf(next)]).toEqual([true, 'written'])
    })
  })

  describe('aborting', () => {
    test('when the attempt is aborted while it waits, then it ends at once, and the server does no more for it', async () => {
      await using corner = await server.corner()
      await using at = start(corner)
      await book(at.port, 'first', saleBooking())
      const locked = await corner.lock('sale_lines')
      const controller = new AbortController()
      const booking = at.port.bookSale(batchOf({ a: saleBooking() }, { signal: controller.signal }))
      await eventually(async () => expect(await corner.atWork()).toBe(1))
      const since = performance.now()
      controller.abort()
      const [failed] = await booking
      expect(performance.now() - since).toBeLessThan(200)
      expect(failed).toMatchObject({ name: 'RetryLaterError', scope: 'item', code: 'no-time' })
      await eventually(async () => expect(await corner.atWork()).toBe(0))
      await locked[Symbol.asyncDispose]()
      expect(await keysIn(corner, 'sales')).toEqual(['first'])
      expect((await book(at.port, 'a', saleBooking())).map(typeOf)).toEqual(['written'])
    })
  })
}
