import { expect, test } from 'vitest'
import type { QueueKey } from '../../src/domain/queue/queue-key.ts'
import type { Effect, Ports } from '../../src/ports/ports.ts'
import { createWorker } from '../../src/queue/worker.ts'
import type { Claim, ClaimLimits, Claims } from '../../src/storage/claim.ts'
import { createFakeStore } from './kit/fake-store.ts'
import { claimOf, createStillClock, createTestLog, destinationOf, flowOf, settled } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

async function atRest() {
  for (let round = 0; round < 20; round += 1) await settled()
}

test.for([true, false])(
  'When results of one destination wait for the disk as another gets work, then that work goes out once they are written (disk slow: %s)',
  async (isSlow) => {
    const fake = createFakeStore()
    const clock = createStillClock()
    const disk = Promise.withResolvers<void>()
    if (isSlow) fake.writeAfter = disk.promise
    const original = fake.claim
    const crm: Claim[][] = []
    const storage = Object.assign(fake.storage, {
      async claim(queue: QueueKey, room: ClaimLimits, lease: number): Promise<Claims> {
        if (queue.destination !== 'crm') return await bus(queue, room, lease)
        return { calls: queue.urgency === 'prompt' ? crm.splice(0, room.calls) : [], wakeAt: null }
      },
    })
    const bus = original
    const ports = (): Ports => ({ publish: { publish: async (): Promise<Effect> => ({}) } }) as Ports
    const worker = createWorker({
      ...sourcesOf().sources,
      storage,
      destinations: [destinationOf({ ports: ports() }), destinationOf({ name: 'crm', ports: ports() })],
      flows: [flowOf('publish')],
      clock,
      random: () => 0.5,
      logger: createTestLog().logger,
      eventLoop: { hasStalledSince: () => false },
    })
    fake.enqueue('prompt', 1, 512)
    worker.start()
    await atRest()
    // All is called, nothing written yet. Now the other destination gets its only work of the day.
    crm.push([claimOf({ id: 9_999, destination: 'crm' })])
    fake.tell('prompt', 'crm')
    await atRest()
    disk.resolve()
    await atRest()
    expect(fake.results.filter(({ delivery }) => delivery <= 512)).toHaveLength(512)
    clock.advance(24 * 3_600_000)
    await atRest()
    expect(fake.results.filter(({ delivery }) => delivery === 9_999)).toHaveLength(1)
  },
)
