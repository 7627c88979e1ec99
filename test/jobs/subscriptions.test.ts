import { describe, expect, test } from 'vitest'
import type { JobRow } from '../../src/domain/health/health.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../src/domain/values/errors.ts'
import { type GivenIds, knownSubscriptions } from '../../src/jobs/subscriptions/decide.ts'
import { readSubscriptionFaults, subscriptionsJob } from '../../src/jobs/subscriptions/subscriptions.ts'
import type { Subscription } from '../../src/platform/platform.ts'
import { listed } from '../listed.ts'
import { createRunner, createTestLogger } from './engine/run.ts'
import { createMemoryPlatform, type MemoryPlatform } from './memory-platform.ts'

const TOKEN = 'new-token-of-the-tests'
const OLD_TOKEN = 'old-token-of-the-tests'
const HUB = 'https://hub.example.com'

describe('what is brought about', () => {
  test('when nothing is subscribed, then each kind that the platform offers gets one URL, unknown kinds too', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'BrandNewKind'] })

    expect(await subscribe(platform).run()).toBe('2 created')

    expect(reported(platform)).toEqual([
      ['SaleCreated', `${HUB}/webhooks/SaleCreated/all?token=${TOKEN}`],
      ['BrandNewKind', `${HUB}/webhooks/BrandNewKind/all?token=${TOKEN}`],
    ])
  })

  test('when it runs again, then nothing is written', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const job = subscribe(platform)
    await job.run()
    platform.calls.length = 0

    expect(await job.run()).toBe('2 as they should be')
    expect(platform.calls).toEqual(['webhooks', 'types'])
  })

  test.each([
    ['an old token', `${HUB}/webhooks/SaleCreated/all?token=${OLD_TOKEN}`],
    ['no token', `${HUB}/webhooks/SaleCreated/all`],
    ['another subscription name', `${HUB}/webhooks/SaleCreated/101?token=${TOKEN}`],
    ['no subscription name', `${HUB}/webhooks/SaleCreated?token=${TOKEN}`],
    ['another path', `${HUB}/webhooks/sales/all?token=${TOKEN}`],
  ])('when ours has %s, then it is moved over, and keeps its id', async (_, url) => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    platform.subscribed.push(at('1', 'SaleCreated', url))

    expect(await subscribe(platform).run()).toBe('1 updated')

    expect(platform.subscribed).toEqual([at('1', 'SaleCreated', `${HUB}/webhooks/SaleCreated/all?token=${TOKEN}`)])
  })

  test('when ours is limited to one store and config says all, then it is opened for all: it would miss the others', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    const url = `${HUB}/webhooks/SaleCreated/all?token=${TOKEN}`
    platform.subscribed.push({ ...at('1', 'SaleCreated', url), storeId: '42' })

    await subscribe(platform, { stores: 'all' }).run()

    expect(platform.subscribed).toEqual([at('1', 'SaleCreated', url)])
  })

  test('when ours is limited to one store and config says nothing, then it stays so, gets the new token, and is named', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const url = (token: string) => `${HUB}/webhooks/SaleCreated/all?token=${token}`
    platform.subscribed.push({ ...at('1', 'SaleCreated', url(OLD_TOKEN)), storeId: '42' })

    expect(await subscribe(platform).run()).toBe(
      '1 created; 1 updated; limited to stores, left so, since platform.webhooks.stores does not say all: SaleCreated',
    )
    expect(platform.subscribed[0]).toEqual({ ...at('1', 'SaleCreated', url(TOKEN)), storeId: '42' })
  })

  test('when config names stores, then each kind has one for each of them, and none for all', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    platform.subscribed.push(at('1', 'SaleCreated', `${HUB}/webhooks/SaleCreated/all?token=${TOKEN}`))
    const job = subscribe(platform, { stores: ['101', 'se'] })

    expect(await job.run()).toBe('2 created; 1 updated')
    expect(platform.subscribed.map(({ storeId, url }) => [storeId, new URL(url).pathname])).toEqual([
      ['42', '/webhooks/SaleCreated/42'],
      ['51', '/webhooks/SaleCreated/51'],
      ['52', '/webhooks/SaleCreated/52'],
    ])
    expect(await job.run()).toBe('3 as they should be')

    expect(await subscribe(platform, { stores: ['101'] }).run()).toBe('2 duplicates deleted; 1 as they should be')
    await expect(subscribe(platform, { stores: ['999'] }).run()).rejects.toThrow('no store 999 is known')
    expect(platform.subscribed).toHaveLength(1)
  })

  test('when publicUrl has a path, a port and capitals, then ours are still known, and the rest is not', async () => {
    const publicUrl = 'https://Example.com:443/hub/'
    const url = `https://example.com/hub/webhooks/SaleCreated/all?token=${TOKEN}`
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    platform.subscribed.push(at('1', 'SaleCreated', url))
    const others = [
      'https://example.com/hubris/webhooks/SaleCreated/all',
      'https://example.com/webhooks/SaleCreated/all',
      'https://example.com/hub/webhooks',
      'https://example.com.evil.org/hub/webhooks/SaleCreated/all',
      'https://example.com:8443/hub/webhooks/SaleCreated/all',
      'not a URL',
      'https://example.com/hub/%zz/webhooks/SaleCreated',
    ].map((other, index) => at(`other-${index}`, 'SaleCreated', other))
    platform.subscribed.push(...others)

    expect(await subscribe(platform, { publicUrl }).run()).toBe('1 as they should be')
    expect(platform.subscribed).toHaveLength(1 + others.length)
  })

  test('when a token and a kind hold signs of their own, then they are encoded, and found again', async () => {
    const platform = createMemoryPlatform({ kinds: ['Sale/Created?'] })
    const job = subscribe(platform, { token: 'a&b=c d+e%20fghij' })

    await job.run()

    const [[, url = ''] = []] = reported(platform)
    expect(new URL(url).searchParams.get('token')).toBe('a&b=c d+e%20fghij')
    expect(new URL(url).pathname).toBe('/webhooks/Sale%2FCreated%3F/all')
    expect(await job.run()).toBe('1 as they should be')
  })
})

test('when the platform changes no subscription, then a new one is made before the old one goes', async () => {
  const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
  platform.subscribed.push(at('1', 'SaleCreated', `${HUB}/webhooks/SaleCreated/all?token=${OLD_TOKEN}`))
  platform.faults.before = failing('update', new PermanentError('no such endpoint', { code: 'http-404' }))

  expect(await subscribe(platform).run()).toBe('1 updated')

  expect(reported(platform)).toEqual([['SaleCreated', `${HUB}/webhooks/SaleCreated/all?token=${TOKEN}`]])
  const writes = platform.calls.filter((call) => /create|delete/.test(call))
  expect(writes).toEqual(['create SaleCreated', 'delete 1'])
})

describe('what is taken down', () => {
  test('when ours are several for a kind, then the good one stays; what others subscribed is left alone', async () => {
    const good = at('good', 'SaleCreated', `${HUB}/webhooks/SaleCreated/all?token=${TOKEN}`)
    const foreign = at('foreign', 'SaleCreated', 'https://other.example.com/webhooks/SaleCreated/all?token=x')
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    const old = at('old', 'SaleCreated', `${HUB}/webhooks/SaleCreated/all?token=${OLD_TOKEN}`)
    platform.subscribed.push(old, foreign, good, { ...good, id: 'copy' })

    expect(await subscribe(platform).run()).toBe('2 duplicates deleted; 1 as they should be')

    expect(platform.subscribed).toEqual([foreign, good])
  })

  test('when the one to keep cannot be moved over, then its duplicates stay: they may be the ones that work', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    const url = `${HUB}/webhooks/SaleCreated/all?token=${OLD_TOKEN}`
    platform.subscribed.push(at('1', 'SaleCreated', url), at('2', 'SaleCreated', url))
    platform.faults.before = failing('update', new PermanentError('the platform refused it (400)'))

    await expect(subscribe(platform).run()).rejects.toThrow('update SaleCreated: the platform refused it (400)')
    expect(platform.subscribed).toHaveLength(2)
  })

  test('when a kind leaves the list of config, then ours is deleted; one that the hub never subscribed stays, and is named', async () => {
    const kinds = ['SaleCreated', 'CustomerUpdated', 'InvoiceCreated']
    const platform = createMemoryPlatform({ kinds })
    const byHand = at('by-hand', 'InvoiceCreated', `${HUB}/webhooks/InvoiceCreated/all?token=${TOKEN}`)
    platform.subscribed.push(byHand)
    const before = subscribe(platform, { kinds: ['SaleCreated', 'CustomerUpdated'] })
    await before.run()
    const after = subscribe(platform, { kinds: ['SaleCreated'] })
    after.state = before.state

    expect(await after.run()).toBe(
      '1 unsubscribed; 1 as they should be; not wanted by config, left as they are: InvoiceCreated',
    )
    expect(reported(platform).map(([kind]) => kind)).toEqual(['InvoiceCreated', 'SaleCreated'])
  })

  test('when the list names a kind that does not exist, then that is said, and nothing is taken down until it is right', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const job = subscribe(platform, { kinds: ['SaleCreated', 'CustomerUpdated'] })
    await job.run()
    const misspelt = subscribe(platform, { kinds: ['SaleCreatd', 'CustomerUpdated'] })
    misspelt.state = job.state

    await expect(misspelt.run()).rejects.toThrow('SaleCreatd: the platform offers no such kind')
    expect(platform.subscribed).toHaveLength(2)

    const right = subscribe(platform, { kinds: ['CustomerUpdated'] })
    right.state = misspelt.state
    expect(await right.run()).toBe('1 unsubscribed; 1 as they should be')
  })
})

describe('when something fails', () => {
  test('when some cannot be brought about, then what that means is kept, since when it is so, until it is repaired', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const job = subscribe(platform, { kinds: ['SaleCreated', 'SaleCreatd', 'CustomerUpdated'] })
    const kept = () =>
      readSubscriptionFaults({
        jobs: async () => [{ name: 'subscriptions', state: JSON.stringify(job.state) } as JobRow],
      })
    platform.faults.before = failing('create SaleCreated', new PermanentError('403 Forbidden'))

    await expect(job.run()).rejects.toThrow('SaleCreatd: the platform offers no such kind')
    const first = await kept()
    expect(first).toEqual([
      {
        name: 'all SaleCreatd',
        why: 'It does not arrive as config wants it: the platform offers no such kind (platform.webhooks.kinds).',
        since: expect.any(Number),
        harmless: false,
      },
      {
        name: 'all SaleCreated',
        why: 'It is not subscribed, so nothing of it arrives: 403 Forbidden.',
        since: expect.any(Number),
        harmless: false,
      },
    ])
    await expect(job.run()).rejects.toThrow('403')
    expect(await kept()).toEqual(first)
    delete platform.faults.before

    await expect(job.run()).rejects.toThrow('SaleCreatd')
    expect(await kept()).toEqual([first[0]])
  })

  test('when it is unsure whether a subscription was made, then the next run makes no second one', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    const job = subscribe(platform)
    platform.faults.after = failing('create', new UnknownOutcomeError('no answer'))

    await expect(job.run()).rejects.toThrow('create SaleCreated: no answer')
    delete platform.faults.after

    expect(await job.run()).toBe('1 as they should be')
    expect(platform.subscribed).toHaveLength(1)
  })

  for (const [name, shown] of [
    ['names kinds otherwise than where it offers them', (one: Subscription) => ({ ...one, event: '1' })],
    ['hides addresses', (one: Subscription) => ({ ...one, url: 'https://hidden.example.com' })],
  ] as const)
    test(`when its list ${name}, then each kind is subscribed once, however often the job runs, and a person is told`, async () => {
      const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
      const { list } = platform.webhooks
      platform.webhooks.list = async (signal) => listed((await list(signal)).rows.map(shown))
      const job = subscribe(platform)
      await job.run()

      for (let run = 0; run < 3; run++)
        await expect(job.run()).rejects.toThrow('SaleCreated: it was subscribed, and the platform does not show it')

      expect(platform.subscribed).toHaveLength(1)
    })

  test('when one that was shown is taken away by somebody, then it is subscribed anew', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const job = subscribe(platform)
    await job.run()
    platform.subscribed.length = 1

    expect(await job.run()).toBe('1 created; 1 as they should be')
    expect(platform.subscribed).toHaveLength(2)
  })

  test('when its list is empty for once, then nothing is subscribed a second time', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const job = subscribe(platform)
    await job.run()
    const { list } = platform.webhooks
    platform.webhooks.list = async () => listed([])

    await expect(job.run()).rejects.toThrow('the platform lists no subscription at all, and had ours')
    platform.webhooks.list = list

    expect(await job.run()).toBe('2 as they should be')
    expect(platform.subscribed).toHaveLength(2)
    platform.webhooks.list = async () => listed([])
    await expect(job.run()).rejects.toThrow('the platform lists no subscription at all, and had ours')
  })

  test('when its list is empty twice in a row, then they are made anew', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const job = subscribe(platform)
    await job.run()
    platform.subscribed.length = 0

    await expect(job.run()).rejects.toThrow('If the next run is told the same, they are made anew')
    expect(await job.run()).toBe('2 created')
    expect(await job.run()).toBe('2 as they should be')
  })

  test('when the platform goes out of reach, then the rest is not tried, and named', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    platform.faults.before = failing('create', new RetryLaterError('cannot connect', { scope: 'destination' }))

    await expect(subscribe(platform).run()).rejects.toThrow(
      'create SaleCreated: cannot connect; create CustomerUpdated: not tried',
    )
    expect(platform.calls.filter((call) => call.startsWith('create'))).toHaveLength(1)
  })

  test.each([
    ['names none', () => undefined],
    ['cannot be read', failing('types', new PermanentError('there is no name', { code: 'unexpected-answer' }))],
    ['is not there', failing('types', new PermanentError('no such endpoint', { code: 'http-404' }))],
  ])('kinds that config names are subscribed where the list of kinds %s', async (_, fault) => {
    const platform = createMemoryPlatform()
    platform.faults.before = fault
    const job = subscribe(platform, { kinds: ['SaleCreated', 'CustomerUpdated'] })

    expect(await job.run()).toBe('2 created')
    expect(await job.run()).toBe('2 as they should be')
    const fewer = subscribe(platform, { kinds: ['SaleCreated'] })
    fewer.state = job.state
    // Whether a kind that is not listed any more was misspelt cannot be told: nothing is taken down.
    expect(await fewer.run()).toBe('1 as they should be; not wanted by config, left as they are: CustomerUpdated')
  })

  test('when the hub stops in the middle, then no more is changed', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const stopping = new AbortController()
    platform.faults.after = (call) => call.startsWith('create') && stopping.abort()

    await expect(subscribe(platform).run(stopping.signal)).rejects.toThrow('aborted')
    expect(platform.subscribed).toHaveLength(1)
  })

  test('when the platform repeats the URL in its answer, then no token is in note, log or error', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const oldUrl = `${HUB}/webhooks/SaleCreated/all?token=${OLD_TOKEN}`
    platform.subscribed.push(at('1', 'SaleCreated', oldUrl))
    const echo = `cannot use ${HUB}?token=${TOKEN} instead of ${oldUrl}`
    platform.faults.before = (call) => {
      if (/create|update/.test(call)) throw new PermanentError(echo, { cause: new Error(echo) })
    }
    const { logger, lines } = createTestLogger()
    const job = createRunner(subscriptionsJob({ platform, isListProven, wanted: { ...WANTED, kinds: 'all' }, logger }))

    const error = await job.run().catch((reason: unknown) => reason)

    expect(String(error)).toContain('cannot use')
    expect(String(error) + JSON.stringify(lines) + JSON.stringify(job.state)).not.toMatch(/token-of-the-tests/)
    expect(error).toMatchObject({ cause: undefined })
    expect(lines.map(({ msg }) => msg)).toEqual(['subscription.failed', 'subscription.failed'])
  })
})

describe('a platform that shows no list of subscriptions', () => {
  const noList = (call: string) => {
    if (call === 'webhooks') throw new PermanentError('no such endpoint', { code: 'http-404' })
  }

  test('when there is no list, then each kind is subscribed once, however often the job runs', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    platform.faults.before = noList
    const job = subscribe(platform, { isListProven: async () => false })

    expect(await job.run()).toBe('2 created; the platform shows no list of subscriptions')
    expect(await job.run()).toBe('2 subscribed before; the platform shows no list of subscriptions')
    expect(reported(platform).map(([kind]) => kind)).toEqual(['SaleCreated', 'CustomerUpdated'])
    expect(JSON.stringify(job.state)).not.toContain(TOKEN)
  })

  for (const code of ['http-404', 'http-405', 'not-offered'] as const)
    test(`ids that the platform answers are remembered where its list is ${code}`, async () => {
      const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
      platform.faults.before = failing('webhooks', new PermanentError('no such endpoint', { code }))
      const job = subscribe(platform, { isListProven: async () => false })
      await job.run()
      await job.run()

      const row = { name: 'subscriptions', state: JSON.stringify(job.state) } as JobRow
      expect(await knownSubscriptions({ jobs: async () => [row] }, {})).toEqual(
        platform.subscribed.map(({ id, event }) => ({ webhookId: id, kind: event, name: 'all', storeId: null })),
      )
    })

  test('a subscription whose id config names is not made again, and one that was answered without id is named', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    platform.faults.before = noList
    const { create } = platform.webhooks
    platform.webhooks.create = async (one) => {
      await create(one)
      return null
    }
    const ids = { SaleCreated: 'b7e0' }
    const job = subscribe(platform, { isListProven: async () => false, ids })

    expect(await job.run()).toBe(
      '1 created; 1 subscribed before; the platform shows no list of subscriptions; no id is known of: CustomerUpdated (platform.webhooks.ids)',
    )
    expect(reported(platform).map(([kind]) => kind)).toEqual(['CustomerUpdated'])
    const row = { name: 'subscriptions', state: JSON.stringify(job.state) } as JobRow
    expect(await knownSubscriptions({ jobs: async () => [row] }, ids)).toEqual([
      { webhookId: 'b7e0', kind: 'SaleCreated', name: null, storeId: null },
    ])
  })

  test('when a list has worked before, then its 404 is a failure, and nothing is subscribed', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    platform.faults.before = noList

    await expect(subscribe(platform).run()).rejects.toThrow('no such endpoint')
    expect(platform.subscribed).toEqual([])
  })

  test('when nobody knows whether one was made, then it is named and not made again; one that was refused is', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    const job = subscribe(platform, { isListProven: async () => false })
    platform.faults.before = noList
    platform.faults.after = failing('create SaleCreated', new UnknownOutcomeError('no answer'))

    expect(await job.run()).toContain('1 created; not known whether they are subscribed: SaleCreated')
    platform.faults.after = () => undefined
    expect(await job.run()).toContain('not known whether they are subscribed: SaleCreated')
    expect(platform.subscribed).toHaveLength(2)

    const refusing = createMemoryPlatform({ kinds: ['SaleCreated'] })
    const again = subscribe(refusing, { isListProven: async () => false })
    refusing.faults.before = (call) => {
      noList(call)
      failing('create', new RetryLaterError('busy'))(call)
    }
    await expect(again.run()).rejects.toThrow('busy')
    refusing.faults.before = noList
    expect(await again.run()).toContain('1 created')
  })

  test('when the token is another one, then nothing is subscribed twice, and a person is told', async () => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated'] })
    platform.faults.before = noList
    const isListProven = async () => false
    const first = subscribe(platform, { isListProven })
    await first.run()
    const later = subscribe(platform, { isListProven, token: OLD_TOKEN })
    later.state = first.state

    await expect(later.run()).rejects.toThrow('SaleCreated: it is subscribed with another address or token')
    expect(platform.subscribed).toHaveLength(1)
  })
})

const isListProven = async () => true

const WANTED = { publicUrl: HUB, token: TOKEN, subscription: 'all' }

function subscribe(
  platform: MemoryPlatform,
  {
    kinds = 'all' as 'all' | string[],
    isListProven: proven = isListProven,
    ids = {},
    ...given
  }: {
    kinds?: 'all' | string[]
    stores?: 'all' | string[]
    publicUrl?: string
    token?: string
    isListProven?: () => Promise<boolean>
    ids?: GivenIds
  } = {},
) {
  const { logger } = createTestLogger()
  const job = { platform, isListProven: proven, ids, wanted: { ...WANTED, kinds, ...given } }
  return createRunner(subscriptionsJob({ ...job, known: async () => STORES, logger }))
}

const STORES = [
  { storeId: '42', number: '101', stockId: '12', countryCode: 'NO' },
  { storeId: '51', number: '201', stockId: '21', countryCode: 'SE' },
  { storeId: '52', number: '202', stockId: '22', countryCode: 'SE' },
  { storeId: '53', number: '203', stockId: '23', countryCode: 'SE', goneAt: 1 },
]

function at(id: string, event: string, url: string) {
  return { id, event, url, storeId: null }
}

function reported({ subscribed }: MemoryPlatform): [string, string][] {
  return subscribed.map(({ event, url }) => [event, url])
}

function failing(begin: string, error: Error): (call: string) => void {
  return (call) => {
    if (call.startsWith(begin)) throw error
  }
}
