import Database from 'better-sqlite3'
import supertest from 'supertest'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startTestHub } from '../hub.ts'

describe('health', () => {
  test('When another program holds the file, then it is live, not ready and says why, and is ready again by itself', async () => {
    await using hub = await startTestHub()
    const other = new Database(hub.file)
    other.exec('begin exclusive')
    const answer = await supertest(hub.url).get('/health/ready').expect(503).expect('Retry-After', /^\d+$/)
    expect(answer.body).toMatchObject({ code: 'store-unavailable', detail: expect.stringContaining('holds the lock') })
    await supertest(hub.url).get('/health/live').expect(200)
    other.close()
    await eventually(() => supertest(hub.url).get('/health/ready').expect(200))
  })
})
