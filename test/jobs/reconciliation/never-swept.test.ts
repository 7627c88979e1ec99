import { expect, test } from 'vitest'
import { RetryLaterError } from '../../../src/domain/values/errors.ts'
import { sale } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { HOUR } from '../kit.ts'
import { beside } from './log-kit.ts'

test('when the log of one kind could never be looked through, then nobody says that all is here', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, storage, subscribe } = beside(hub)
  subscribe('CustomerCreated')
  await platform.emit('SaleCreated', sale(), clock.now() - HOUR)
  let asked = 0
  platform.faults.before = (call) => {
    // The other subscription is asked after the sales.
    if (call === 'events' && ++asked > 8) throw new RetryLaterError('it says 500', { code: 'http-500', scope: 'item' })
  }
  await expect(job.run()).rejects.toThrow('CustomerCreated')
  const marks = await storage.watermarks()
  expect(marks).toMatchObject([{ kind: 'CustomerCreated', from: 0, until: 0 }, { kind: 'SaleCreated' }])
  const { body } = await hub.admin<{ verdict: string; watermarks: { kind: string; neverScanned: boolean }[] }>(
    'completeness',
  )
  expect(body.verdict).toBe('unknown')
  expect(body.watermarks.find(({ kind }) => kind === 'CustomerCreated')).toMatchObject({
    neverScanned: true,
    verdict: 'unknown',
  })

  platform.faults.before = () => {}
  await job.run()
  expect((await storage.watermarks()).find(({ kind }) => kind === 'CustomerCreated')?.until).toBeGreaterThan(0)

  // Nobody subscribes to it any more.
  subscribe('CustomerUpdated')
  platform.faults.before = (call) => {
    if (call === 'events') throw new RetryLaterError('it says 500', { code: 'http-500', scope: 'item' })
  }
  await expect(job.run()).rejects.toThrow()
  expect((await storage.watermarks()).map(({ kind }) => kind)).toContain('CustomerUpdated')
  platform.subscribed.pop()
  await expect(job.run()).rejects.toThrow()
  expect((await storage.watermarks()).map(({ kind }) => kind)).not.toContain('CustomerUpdated')
})
