import { describe, expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../src/domain/values/errors.ts'
import type { Attempt, Effect, PublishPort } from '../../src/ports/ports.ts'
import { createTestClock, type TestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { createFolder, type Given, startTestHub, type TestHub } from '../hub.ts'
import { deliveryOf, flowOf, HOUR, MINUTE, middle, SECOND, saleNo, through, untilDelivery } from './kit/kit.ts'

/* A system whose effects come late: it answers nothing in time, and executes what it was asked for when it gets to it. */

const once = flowOf('create-order', { atMostOnce: true })
/** Sales of one POS are about the same thing. */
const ofOnePos = flowOf('create-order', { atMostOnce: true, plan: () => [{ part: '', entity: 'pos:3' }] })

function createLateShop(clock: TestClock) {
  const effects: { id: string; key: string }[] = []
  const calls: string[] = []
  const shop = {
    calls,
    effects,
    /** How late the calls to come take effect (milliseconds), one after the other; 0 when there is none left. */
    lateness: [] as number[],
    finds: 0,
    port: { publish, find } as PublishPort,
  }

  async function publish(_: unknown, { key }: Attempt): Promise<Effect> {
    calls.push(key)
    const late = shop.lateness.shift() ?? 0
    const take = () => effects.push({ id: `${100 + effects.length + 1}`, key })
    if (late === 0) {
      take()
      return { note: `order ${effects.at(-1)?.id}` }
    }
    clock.after(late, take)
    throw new UnknownOutcomeError('no answer')
  }

  async function find({ key }: Attempt): Promise<Effect | null> {
    shop.finds += 1
    const found = effects.find((one) => one.key === key)
    return found ? { note: `order ${found.id}` } : null
  }

  return shop
}

async function open({
  queue = { inDoubtFor: '5m' },
  flow = once,
  ...given
}: Partial<Given> & { queue?: object; flow?: typeof once } = {}) {
  const clock = createTestClock()
  const shop = createLateShop(clock)
  const start = () =>
    startTestHub({
      flows: [flow],
      destinations: { shop: through(shop.port, { queue }) },
      clock,
      random: middle,
      ...given,
    })
  return { clock, shop, start, hub: await start() }
}

const isDone = ({ state }: { state: string }) => state === 'delivered'

/** Puts the clock on until a delivery stands so; each time far enough for what is due next. */
async function until(
  hub: TestHub,
  clock: TestClock,
  id: number,
  check: (one: Awaited<ReturnType<typeof deliveryOf>>) => boolean,
) {
  await eventually(async () => {
    const found = await deliveryOf(hub, id)
    if (check(found)) return true
    if (found.state === 'waiting' && found.dueAt > clock.now()) clock.advance(found.dueAt - clock.now())
    return false
  })
  return await deliveryOf(hub, id)
}

describe('an effect that comes late', () => {
  test.each([1, 8, 45, 100, 120, 290])('of %i s is found, and not made a second time', async (seconds) => {
    const { clock, shop, hub } = await open()
    await using _ = hub
    shop.lateness = [seconds * SECOND]
    await hub.post('SaleCreated', saleNo(1))
    const { attempts } = await until(hub, clock, 1, isDone)
    expect(attempts.at(-1)?.note).toBe('found there: order 101')
    expect([shop.calls.length, shop.effects.length]).toEqual([1, 1])
  })

  test('waits through a restart, and others do not wait for it but those of its ordering key', async () => {
    await using folder = await createFolder()
    const { clock, shop, hub: first, start } = await open({ flow: ofOnePos, folder: folder.path })
    shop.lateness = [200 * SECOND]
    await first.post('SaleCreated', saleNo(1))
    await untilDelivery(first, 1, ({ tries }) => tries === 1)
    await first[Symbol.asyncDispose]()
    clock.advance(30 * SECOND)
    await using hub = await startAgain()
    await untilDelivery(hub, 1, ({ code }) => code === 'not-found-yet')
    await hub.post('SaleCreated', saleNo(2))
    expect((await deliveryOf(hub, 2)).tries).toBe(0)
    expect(shop.calls).toHaveLength(1)
    await until(hub, clock, 1, isDone)
    await untilDelivery(hub, 2, isDone)
    expect(shop.effects.map(({ key }) => key)).toEqual(shop.calls)

    function startAgain() {
      return start()
    }
  })

  test('that does not come is made a second time only when it cannot come any more', async () => {
    const { clock, shop, hub } = await open()
    await using _ = hub
    shop.lateness = [24 * HOUR]
    await hub.post('SaleCreated', saleNo(1))
    const { attempts } = await until(hub, clock, 1, isDone)
    const [call, ...later] = attempts
    expect(later.map(({ code }) => code)).toEqual([...Array(4).fill('not-found-yet'), 'delivered'])
    expect((later.at(-1)?.at ?? 0) - (call?.at ?? 0)).toBeGreaterThanOrEqual(5 * MINUTE)
    expect(shop.calls).toHaveLength(2)
  })
})
