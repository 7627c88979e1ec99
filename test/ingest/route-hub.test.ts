import { expect, test } from 'vitest'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import { UserError } from '../../src/domain/values/errors.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { publish } from '../../src/flows/publish.ts'
import { createInbox } from '../../src/ingest/accept.ts'
import { createReader, createReading } from '../../src/ingest/parse.ts'
import { reroute } from '../../src/ingest/reroute.ts'
import { createRoute } from '../../src/ingest/route.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'
import { pulled } from './inbox-of.ts'
import { booksTo } from './kept-events.ts'

const orders: Flow = { ...publish, name: 'orders', kinds: ['SaleCreated'], once: true }

test('when two destinations would each execute a flow that must happen once, then the hub does not start', async () => {
  const destinations = { shop: busTo('http://127.0.0.1:9/a'), other: busTo('http://127.0.0.1:9/b') }

  await expect(startTestHub({ flows: [publish, orders], destinations })).rejects.toThrow(UserError)
  const skipping = { bus: busTo('http://127.0.0.1:9', { skip: ['x'] }) }
  await expect(startTestHub({ flows: [publish], destinations: skipping })).rejects.toThrow(
    'destinations.bus.skip.0: expected a flow: one of publish',
  )
})

test('when the stores become known later, then the event that was unrouted goes out by a reroute', async () => {
  await using hub = await startTestHub()
  let known = createStoreIndex([])
  const route = createRoute(
    [publish],
    [booksTo('oslo', { abilities: ['publish'], publish: 'all', stores: ['101'] })],
    () => known,
  )
  const inbox = createInbox(hub.hub.storage, createReader(createReading({ route })))
  const movement = stockMovement({ stockExtId: null })

  expect(await inbox.accept(pulled('StockMovementCreated', movement))).toMatchObject({ unrouted: true })
  known = createStoreIndex([{ storeId: '42', number: '101', stockId: '12', countryCode: 'NO' }])

  expect(await reroute(hub.hub.storage, route, {}, { act: 1 })).toMatchObject({ events: 1, deliveries: 1 })
  const next = stockMovement({ stockExtId: null, movementId: 2 })
  expect(await inbox.accept(pulled('StockMovementCreated', next))).toMatchObject({ unrouted: false })
})
