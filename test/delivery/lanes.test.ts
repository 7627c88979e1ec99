import { describe, expect, test } from 'vitest'
import type { Destination } from '../../src/delivery/destination.ts'
import { createTroubleWatch } from '../../src/delivery/trouble.ts'
import { createLanes, roomFor } from '../../src/delivery/worker.ts'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import { createLogger } from '../../src/lib/logger.ts'
import type { Ports } from '../../src/ports/ports.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const AWAY: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'http-503', why: 'it is away' }

function lanesOf(concurrency: number, ports: Ports = {}) {
  const logger = createLogger('silent')
  const destination: Destination = {
    name: 'bus',
    ports,
    lane: { concurrency, timeout: 1_000, inDoubtFor: 0, lookAgain: [] },
    batch: { items: 1, bytes: 1_000, linger: 0 },
    channels: {},
    accounts: null,
    dryRun: false,
  }
  return createLanes(
    destination,
    createTroubleWatch('bus', () => 0.5, logger),
    logger,
  )
}

describe('how many calls of a destination may begin', () => {
  test('when nothing is under way, then what is prompt takes every slot, and bulk leaves one', () => {
    const lanes = lanesOf(4)
    expect([roomFor(lanes, 'prompt', NOW), roomFor(lanes, 'bulk', NOW)]).toEqual([4, 3])
  })

  test('when one slot is left, then it is for what is prompt', () => {
    const lanes = { ...lanesOf(4), inFlight: { prompt: 1, bulk: 2 } }
    expect([roomFor(lanes, 'prompt', NOW), roomFor(lanes, 'bulk', NOW)]).toEqual([1, 0])
  })

  test('when results are not written down yet, then their calls take slots where a second call would be seen', () => {
    const nothing = async () => ({})
    const room = (ports: Ports) =>
      roomFor({ ...lanesOf(4, ports), inFlight: { prompt: 1, bulk: 0 }, unwritten: 3 }, 'prompt', NOW)
    expect(room({ texts: { send: nothing } })).toBe(0)
    expect(room({ publish: { publish: nothing } })).toBe(3)
  })

  test('when there is one slot only, then bulk may have it', () => {
    expect(roomFor(lanesOf(1), 'bulk', NOW)).toBe(1)
  })

  test('when the destination is in trouble, then one call probes it, and no other begins beside that', () => {
    const lanes = lanesOf(4)
    lanes.watch.follow(AWAY, NOW, { delivery: 1, at: NOW, failingSince: null, operation: 'publish' })
    expect(roomFor(lanes, 'prompt', NOW)).toBe(1)
    expect(roomFor({ ...lanes, inFlight: { prompt: 0, bulk: 1 } }, 'prompt', NOW)).toBe(0)
  })
})
