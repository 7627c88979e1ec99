import { expect, test } from 'vitest'
import { nameOrphans } from '../../src/hub/setup.ts'
import { createTestLog } from './kit/parts.ts'

test('When deliveries are owed to what config does not have any more, then these destinations are named, and no other', async () => {
  const { logger, said } = createTestLog()
  const owed = async () => [
    { destination: 'bus', open: 3, oldest: 0 },
    { destination: 'old-shop', open: 12, oldest: 0 },
  ]
  await nameOrphans({ owed }, ['bus', 'shop'], logger)
  expect(said).toMatchObject([{ level: 50, msg: 'destination.not-in-config', destination: 'old-shop', deliveries: 12 }])
})

test('When the store cannot count them now, then the hub starts all the same, and the log says why', async () => {
  const { logger, said } = createTestLog()
  await nameOrphans({ owed: () => Promise.reject(new Error('the disk is full')) }, [], logger)
  expect(said).toMatchObject([{ level: 40, msg: 'destination.not-counted', err: { message: 'the disk is full' } }])
})
