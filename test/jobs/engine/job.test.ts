import { expect, test } from 'vitest'
import { offWhereAbsent } from '../../../src/jobs/engine/job.ts'
import type { EndpointOverrides } from '../../../src/platform/http/endpoint.ts'
import { givenPlatform } from '../../platform/given.ts'
import { createRunner } from './run.ts'

const HOUR = 3_600_000

async function givenProducts(endpoints: EndpointOverrides = {}) {
  const given = await givenPlatform({ preset: 'spec', endpoints })
  const clock = { now: Date.parse('2026-11-27T10:00:00Z') }
  const { products } = given.platform
  const job = offWhereAbsent(
    {
      name: 'products',
      async run({ signal }) {
        for await (const _ of products.search({ pageSize: 10 }, signal));
        return { note: 'read' }
      },
    },
    given.platform,
  )
  const asked = () => given.server.asked.length
  return { ...given, clock, asked, job: createRunner(job, () => clock.now) }
}

for (const status of [404, 405] as const)
  test(`a job whose operation answers ${status} is off, says so, and asks again after a day`, async () => {
    const given = await givenProducts()
    await using _ = given
    const { server, job, clock, asked } = given
    server.play({ status, body: '<html>Not here</html>' })

    expect(await job.run()).toBe(`off: this platform has no products.search: it answered ${status}`)
    expect([await job.run(), asked()]).toEqual([`off: this platform has no products.search: it answered ${status}`, 1])
    await job.run({ asked: true })
    expect(asked()).toBe(2)
    server.play({ body: [] }, '/api/Product')
    server.play({ body: 0 }, '/api/Product/count')
    clock.now += 25 * HOUR
    expect(await job.run()).toBe('read')
  })

test('a job whose operation config calls absent is off, and the platform is not asked', async () => {
  const given = await givenProducts({ 'products.search': null })
  await using _ = given
  expect([await given.job.run(), given.asked()]).toEqual([
    'off: this platform has no products.search: config says so (platform.endpoints.products.search)',
    0,
  ])
})

test('a job whose operation has worked before fails when it answers 404: that is no absence', async () => {
  const given = await givenProducts()
  await using _ = given
  const { server, job } = given
  server.play({ body: [{ productid: 1, name: 'Tee' }] }, '/api/Product')
  server.play({ body: 1 }, '/api/Product/count')
  expect(await job.run()).toBe('read')
  server.play({ status: 404 }, '/api/Product')
  await expect(job.run()).rejects.toMatchObject({ code: 'http-404' })
})

test('outage of the platform is a failure of the job, and no absence', async () => {
  const given = await givenProducts()
  await using _ = given
  given.server.play({ status: 400, body: { title: 'no such field' } })
  await expect(given.job.run()).rejects.toMatchObject({ code: 'http-400' })
})
