import { expect } from 'vitest'
import type { TestClock } from '../../clock.ts'
import type { DoorVerdict } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import type { TestHub } from '../../hub.ts'
import { deliveriesOf, MINUTE, SECOND, statusOf } from './kit.ts'

export const HTML = '<html><body><h1>Not what you look for</h1></body></html>'

/** Answers of a front door that say nothing of what was sent. */
export const REFUSALS: [string, DoorVerdict][] = [
  ['404 as plain text', { status: 404, body: '404 page not found\n' }],
  ['405', { status: 405 }],
  ['410', { status: 410, type: 'application/json', body: '{"status":410,"error":"Gone","path":"/events"}' }],
  ['402', { status: 402, type: 'application/json', body: '{"code":"balance_empty","message":"Top up"}' }],
  ['421', { status: 421 }],
  ['400 of a gateway', { status: 400, type: 'text/html', body: HTML }],
  ['resets', 'reset'],
]

/** In steps as long as a retry, until it is so; nothing may be dead or held meanwhile. */
export async function later(hub: TestHub, clock: TestClock, check: () => Promise<boolean> | boolean): Promise<void> {
  await eventually(async () => {
    if (await check()) return
    clock.advance(5 * SECOND)
    const rows = await deliveriesOf(hub)
    throw new Error(rows.map(({ id, flow, state, code, why }) => [id, flow, state, code, why].join(' ')).join('\n'))
  }, 60_000)
  expect((await deliveriesOf(hub)).filter(({ state }) => state === 'dead' || state === 'held')).toEqual([])
}

export async function untilTroubled(hub: TestHub, clock: TestClock, name: string) {
  await later(hub, clock, async () => (await statusOf(hub, name)).outage !== null)
  return (await statusOf(hub, name)).outage
}

export const untilAllDone = (hub: TestHub, clock: TestClock) =>
  later(hub, clock, async () => (await deliveriesOf(hub)).every(({ state }) => state === 'delivered'))

/** A destination that can be away, with a hub that sends to it. */
export interface System extends AsyncDisposable {
  hub: TestHub
  name: string
  /** Has the hub send it something; each number is one of its own. */
  send(no: number): Promise<unknown>
  away(): unknown
  back(): unknown
  /** The numbers that arrived, as often as they did. */
  arrived(): Promise<number[]> | number[]
  /** A call ends only when its time is over. */
  hangs?: true
}

const MANY = 30

/** Thirty come while it is away for a minute: the first tells of the cause, none dies, and each arrives once. */
export async function awayForAMinute(clock: TestClock, system: System, cause: RegExp): Promise<void> {
  const { hub, name, hangs } = system
  /** A call that is on its way is given its time, or none is over in the middle. */
  const step = async (check: () => Promise<boolean> | boolean) =>
    await later(hub, clock, async () => {
      if (!hangs) await eventually(async () => (await statusOf(hub, name)).inFlight === 0)
      return await check()
    })
  await system.away()
  await system.send(0)
  await step(async () => {
    const { outage, failing } = await statusOf(hub, name)
    const reported = outage ?? failing
    if (reported) expect(`${reported.code}: ${reported.why}`).toMatch(cause)
    return reported !== null
  })
  for (let no = 1; no < MANY; no += 1) await system.send(no)
  const begun = clock.now()
  await step(() => clock.now() - begun > MINUTE)
  await step(async () => (await statusOf(hub, name)).outage !== null)
  expect(await statusOf(hub, name)).toMatchObject({ dead: 0, held: 0 })

  await system.back()
  await step(async () => (await deliveriesOf(hub)).every(({ state }) => state === 'delivered'))
  expect([...(await system.arrived())].sort((a, b) => a - b)).toEqual(Array.from({ length: MANY }, (_, no) => no))
  await step(async () => (await statusOf(hub, name)).outage === null)
}
