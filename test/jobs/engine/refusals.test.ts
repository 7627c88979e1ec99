import { expect, test } from 'vitest'
import { PermanentError } from '../../../src/domain/values/errors.ts'
import { createScheduler } from '../../../src/jobs/engine/scheduler.ts'
import { openJobs, quickJob } from '../kit.ts'

test('When the platform refuses our key, then the job names the code until it is over, and what waits for it hears of that', async () => {
  let isRefused = true
  const asking = (name: string) =>
    quickJob({
      name,
      asks: 'platform',
      async run() {
        if (isRefused) throw new PermanentError('401 Unauthorized', { code: 'http-401' })
        return { note: 'done' }
      },
    })
  const jobs = [asking('stores'), asking('schemas')]
  await using the = await openJobs(jobs)
  const reached: string[] = []
  const { storage, clock, logger } = the
  await using scheduler = createScheduler({
    storage,
    clock,
    logger,
    reached: (system) => void reached.push(system),
  })
  scheduler.add(jobs)
  await scheduler.start()

  await scheduler.run('stores')
  expect(await scheduler.run('schemas')).toMatchObject({ failures: 1, code: 'http-401' })
  await scheduler.run('stores')
  expect(reached).toEqual([])

  isRefused = false
  expect(await scheduler.run('stores')).toMatchObject({ failures: 0, code: null })
  expect(reached).toEqual(['platform'])
})
