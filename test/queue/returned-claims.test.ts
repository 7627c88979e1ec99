import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { QueueKey } from '../../src/domain/queue/queue-key.ts'
import type { Effect, Ports } from '../../src/ports/ports.ts'
import { createWorker } from '../../src/queue/worker.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { writeEmptyStore } from '../empty-store.ts'
import { eventually } from '../eventually.ts'
import { openQueues } from '../storage/queue/lanes-kit.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'
import { createTestLog, destinationOf, flowOf } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())
const settled = async () => {
  for (let n = 0; n < 30; n++) await new Promise(setImmediate)
}

test('When config is read again in the moment of a claim, then the next worker sends what the last one gives back', async () => {
  using the = openQueues(empty)
  const listeners = new Set<(queues: QueueKey[]) => void>()
  // What the kit notes as woken, told to the workers.
  const push = the.woken.push.bind(the.woken)
  the.woken.push = (...many) => {
    for (const some of many)
      for (const listener of listeners)
        listener(
          some.map((text) => ({ destination: text.split(' ')[0] ?? '', urgency: text.split(' ')[1] as 'prompt' })),
        )
    return push(...many)
  }
  const storage = {
    claim: the.queueKeys.claim,
    settle: the.queueKeys.settle,
    returnClaims: the.queueKeys.release,
    onWork(listener: (queues: QueueKey[]) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    arePending: async () => false,
    markIsolated: async () => {},
  } as unknown as Storage
  const sent: string[] = []
  const clock = {
    now: () => the.state.now,
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  }
  const worker = (name: string) =>
    createWorker({
      ...sourcesOf().sources,
      storage,
      destinations: [
        destinationOf({
          name: 'shop',
          ports: {
            publish: {
              publish: async (): Promise<Effect> => {
                sent.push(name)
                return {}
              },
            },
          } as Ports,
        }),
      ],
      flows: [flowOf('publish')],
      clock: clock as never,
      random: () => 0.5,
      logger: createTestLog().logger,
      eventLoop: { hasStalledSince: () => false },
    })
  const before = worker('before')
  before.start()
  await settled()
  // A claim of a once-only delivery is written first: the disk takes its time.
  const disk = Promise.withResolvers<void>()
  the.state.gate = async (methods) => {
    if (methods.includes('prepare')) await disk.promise
  }
  await the.accept(the.about('a', { once: true }))
  await settled()
  expect(the.asked.at(-1)).toBe('prepare')
  const stopped = before.stop(60_000)
  const next = worker('next')
  next.start(before)
  await settled()
  disk.resolve()
  await stopped
  await settled()
  await eventually(() => expect(sent).toEqual(['next']))
})
